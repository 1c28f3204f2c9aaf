import assert from 'node:assert/strict';
import { impersonal } from '../../../src/util/impersonal';

const person = { home: '/home/ada', userName: 'ada' };

describe('a text without the person', () => {
  it('names neither the user nor a machine by its address', () => {
    const line =
      '/home/ada/.ssh/config ada@example.com user ada at 203.0.113.7:40122 and 2001:db8:0:0:0:0:0:1 version 1.105.0';
    assert.equal(
      impersonal(line, person),
      '~/.ssh/config <mail address> user <user> at <address>:40122 and <address> version 1.105.0',
    );
  });

  it('names no short address of the newer kind either', () => {
    for (const address of ['2001:db8::7', 'fe80::1', '2A01:4F8:C0C:9F::2', '::ffff:c000:207']) {
      assert.equal(impersonal(`connect to ${address} port 22`, person), 'connect to <address> port 22');
      assert.equal(impersonal(`[${address}]:22`, person), '[<address>]:22');
      assert.equal(impersonal(`${address}: no route`, person), '<address>: no route');
    }
  });

  it('leaves words alone that only look alike', () => {
    const line = '127.0.0.1:8080 ::1 adapter canada ada-1 12:30:45 std::b() id:ab:cd RTX 4090 in 83 ms';
    assert.equal(impersonal(line, person), line);
    assert.equal(impersonal('root a', { home: '/', userName: 'a' }), 'root a');
  });

  it('has no home folder in any notation of it', () => {
    const windows = { home: 'C:\\Users\\José García', userName: 'jgarcia' };
    const line =
      'c:\\Users\\José García\\.ssh C:/Users/José García/.ssh "C:\\\\Users\\\\José García\\\\.ssh" file:///c%3A/Users/Jos%C3%A9%20Garc%C3%ADa/.ssh';
    assert.equal(impersonal(line, windows), '~\\.ssh ~/.ssh "~\\\\.ssh" file:///~/.ssh');
    assert.equal(impersonal('/var/home/ada k/.ssh', { home: '/var/home/ada k', userName: 'ak' }), '~/.ssh');
  });
});
