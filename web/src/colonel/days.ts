/** Day is the start of a day and the number of moments in it. */
interface Day {
  date: Date;
  count: number;
}

const dayLength = 86_400_000;

/** daysOf counts moments by days in the visitor's time zone; the last day is today. */
export function daysOf(moments: Date[], days: number, now: Date): Day[] {
  const all: Day[] = [];
  for (let back = days - 1; back >= 0; back--) {
    all.push({ date: new Date(now.getFullYear(), now.getMonth(), now.getDate() - back), count: 0 });
  }
  const first = all[0]?.date.getTime() ?? 0;
  for (const moment of moments) {
    const midnight = new Date(moment.getFullYear(), moment.getMonth(), moment.getDate());
    const day = all[Math.round((midnight.getTime() - first) / dayLength)];
    if (day) {
      day.count += 1;
    }
  }
  return all;
}
