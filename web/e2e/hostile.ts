/** hostile runs a script, or violates the policy, wherever a page treats it as HTML. */
export const hostile = `"'><img src=x onerror=alert(1)><svg onload=alert(2)><script>alert(3)</script>javascript:alert(4)`;
