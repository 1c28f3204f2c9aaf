import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';

/** A test for the end of a suite: whoever runs it finds their own SSH config as it was when the suite began. */
export function leavesAccountSsh(): void {
  const config = path.join(userInfo().homedir, '.ssh', 'config');
  const stamp = () => (existsSync(config) ? statSync(config).mtimeMs : 'missing');
  const before = stamp();
  it("left the real account's SSH config alone", () => {
    assert.equal(stamp(), before);
  });
}
