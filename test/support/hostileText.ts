import * as fc from 'fast-check';

/** Pieces that mean something to a shell, a config, a terminal, a link or a reader. */
const nasty = fc.constantFrom(
  ...['\n', '\r', '\t', ' ', '\0', '\u001b[2J', '"', "'", '\\', '`', '$(id)', '${HOME}', '%h', '%', ';', '&'],
  ...['-oProxyCommand=id', '--', '#', '=', '*', '?', '!', '|', '@', ':22', '[', ']', '/', '..', '<', '>'],
  ...['\u202e', '\u2066', '\u061c', '\u200b', '\u2028', '\ufeff', '\u009b', '\u{e0041}', 'ä', '机'],
  ...['ProxyCommand', 'Host *', 'Include', 'root@', 'javascript:', 'command:', '\u001b]0;x\u0007', '$(sync)'],
);

/** What a hostile or broken service may send where a name, an address or a text belongs. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.oneof(nasty, fc.constantFrom('a', 'example.com', '1.2.3.4', '::1', '7', '/root')), {
      maxLength: 8,
    })
    .map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 300, maxLength: 5_000 }),
);
