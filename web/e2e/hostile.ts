/** hostile runs, or is reported by the policy, wherever it is taken for HTML. */
export const hostile = `"'><img src=x onerror=alert(1)><svg onload=alert(2)><script>alert(3)</script>javascript:alert(4)`;
