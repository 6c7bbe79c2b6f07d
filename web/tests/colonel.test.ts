import assert from "node:assert/strict";
import { test } from "node:test";
import { daysOf } from "../src/colonel/days";

test("daysOf counts by day, with today last", () => {
  const now = new Date(2026, 2, 30, 13);
  const moments = [
    now,
    new Date(2026, 2, 30, 0, 1),
    new Date(2026, 2, 28, 23, 59),
    new Date(2026, 1, 1),
    new Date(2026, 3, 9),
  ];
  const days = daysOf(moments, 30, now);
  assert.equal(days.length, 30);
  assert.deepEqual(
    days.slice(-3).map((day) => day.count),
    [1, 0, 2],
  );
  assert.equal(days[0]?.date.getTime(), new Date(2026, 2, 1).getTime());
  assert.equal(
    days.reduce((sum, day) => sum + day.count, 0),
    3,
  );
});
