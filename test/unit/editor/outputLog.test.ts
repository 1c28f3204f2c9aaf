import assert from 'node:assert/strict';
import type * as vscode from 'vscode';
import { OutputLog } from '../../../src/editor/outputLog';
import { Redactor } from '../../../src/util/redact';

/** What each level of the channel was given. */
function fakeChannel() {
  const lines: string[] = [];
  const add = (line: unknown) => {
    lines.push(String(line));
  };
  const channel = { trace: add, debug: add, info: add, warn: add, error: add };
  // The log uses these five and nothing else while it writes.
  return { lines, channel: channel as unknown as vscode.LogOutputChannel };
}

describe('the log', () => {
  const planted = {
    key: 'planted-key-8d21',
    session: 'f00dfacef00dface',
    phone: '+14155550177',
    passPhrase: 'planted "pass" phrase',
    totp: 'JBSWY3DPEHPK3PXP',
  };

  function open() {
    const { lines, channel } = fakeChannel();
    const redactor = new Redactor();
    for (const value of Object.values(planted)) {
      redactor.addSecret(value);
    }
    return { lines, log: new OutputLog(channel, redactor) };
  }

  for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
    it(`holds no secret at the level ${level}, in any form`, () => {
      const { lines, log } = open();
      for (const value of Object.values(planted)) {
        log[level](`as it is ${value}`);
        log[level](`in an address ?x=${encodeURIComponent(value)}&y`);
        log[level](`in JSON ${JSON.stringify({ value })}`);
        log[level](`in base64 ${Buffer.from(value).toString('base64')}`);
      }
      assert.equal(lines.length, 4 * Object.keys(planted).length);
      for (const value of Object.values(planted)) {
        for (const form of [
          value,
          encodeURIComponent(value),
          JSON.stringify(value).slice(1, -1),
          Buffer.from(value).toString('base64'),
        ]) {
          assert.equal(lines.join('\n').includes(form), false, form);
        }
      }
    });
  }

  it('remembers its last thousand lines for a support bundle, redacted as they were written', () => {
    const { log } = open();
    for (let line = 0; line < 1200; line += 1) {
      log.info(`line ${line} ${planted.key}`);
    }
    log.warn('x'.repeat(100_000));
    const kept = log.recent();
    assert.equal(kept.length, 1000);
    assert.match(kept[0] ?? '', /^\d{4}-\S+Z \[info\] line 201 •••$/);
    assert.ok((kept.at(-1) ?? '').length < 2100);
  });

  it('holds none of an error, of its causes and of what was thrown instead of an error', () => {
    const { lines, log } = open();
    const cause = new Error(`refused for ${planted.phone}`, { cause: `Bearer ${planted.session}` });
    log.error('It failed', new Error(`with ${planted.key}`, { cause }));
    log.error('It failed', `otpauth://totp/a?secret=${planted.totp}`);
    const text = lines.join('\n');
    assert.match(text, /It failed[\s\S]*caused by:/);
    for (const value of Object.values(planted)) {
      assert.equal(text.includes(value), false, value);
    }
  });
});
