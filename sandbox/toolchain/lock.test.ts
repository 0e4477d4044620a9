import { Failure } from "../../lib/failure";
import { unwritable } from "./lock";

test.each([
  ["EACCES", "Cannot write /cache/locks/a.lock: it belongs to another user."],
  ["EROFS", "Cannot write /cache/locks/a.lock: the file system is read-only."],
])("a cache that cannot be written for %s is an error in words, with what to do", (code, message) => {
  const error = unwritable("/cache/locks/a.lock", Object.assign(new Error("no"), { code }));
  expect(error).toBeInstanceOf(Failure);
  expect(String(error)).toContain(message);
  expect(String(error)).toContain("XDG_CACHE_HOME");
});

test("any other error stays as it is", () => {
  const error = new Error("no");
  expect(unwritable("/cache/locks/a.lock", error)).toBe(error);
});
