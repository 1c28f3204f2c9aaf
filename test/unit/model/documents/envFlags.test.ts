import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import {
  formatEnvFlags,
  parseEnvFlags,
  parsePort,
  replaceValues,
  type EnvEntry,
} from '../../../../src/model/documents/envFlags';
import {
  envEntries,
  envFlagsToObject,
  envObject,
  envObjectToFlags,
  envText,
  readEnv,
} from '../../../../src/model/documents/envObject';
import { rentalEnvProblem } from '../../../../src/model/documents/rentalEnv';
import { formatText } from '../../../../src/util/text';
import { testSeed } from '../../../support/seeded';

const anyText = fc.string({ unit: 'binary', maxLength: 20 });
const port = fc.integer({ min: 1, max: 65535 });
const entry: fc.Arbitrary<EnvEntry> = fc
  .oneof(
    fc.record({
      kind: fc.constant('variable' as const),
      name: anyText.filter((name) => name !== '' && !name.includes('=')),
      value: anyText,
    }),
    fc.tuple(port, port, fc.constantFrom('', '/tcp', '/udp')).map(([host, container, suffix]) => ({
      kind: 'port' as const,
      mapping: `${host}:${container}${suffix}`,
    })),
    fc.constantFrom<EnvEntry>(
      { kind: 'flag', flag: '--ipc=host' },
      { kind: 'flag', flag: '-h', value: 'my host' },
      { kind: 'flag', flag: '--shm-size=8g' },
    ),
  )
  // Without fast-check's null prototypes, which deepEqual tells apart.
  .map((value) => ({ ...value }));

const entriesOf = (flags: string) => parseEnvFlags(flags).entries.map((located) => located.entry);

describe('the flag form of an environment', () => {
  it('reads variables and ports in every way of writing them', () => {
    assert.deepEqual(entriesOf(`-e A=1 --env B=2 --env=C=3 -eD=4 -p 8080:80 --publish=53:53/udp -p22:22`), [
      { kind: 'variable', name: 'A', value: '1' },
      { kind: 'variable', name: 'B', value: '2' },
      { kind: 'variable', name: 'C', value: '3' },
      { kind: 'variable', name: 'D', value: '4' },
      { kind: 'port', mapping: '8080:80' },
      { kind: 'port', mapping: '53:53/udp' },
      { kind: 'port', mapping: '22:22' },
    ]);
  });

  it('reads quotes and escapes as a shell does', () => {
    const values = entriesOf(
      String.raw`-e A="two words" -e 'B=it is' -e C="say \"hi\"" -e D='a"b' -e E=a\ b -e F="\n$HOME" -e G=`,
    ).map((read) => (read.kind === 'variable' ? read.value : ''));
    assert.deepEqual(values, ['two words', 'it is', 'say "hi"', 'a"b', 'a b', '\\n$HOME', '']);
  });

  it('keeps an equals sign inside a value', () => {
    assert.deepEqual(entriesOf('-e OPTS=--a=1'), [{ kind: 'variable', name: 'OPTS', value: '--a=1' }]);
  });

  for (const [flags, kind, subject] of [
    ['-e A="open', 'unclosedQuote', 'A=open'],
    ['-e NAME', 'missingValue', 'NAME'],
    ['-e', 'missingValue', '-e'],
    ['-e =x', 'badName', '=x'],
    ['-p eighty:80', 'badPort', 'eighty:80'],
    ['-p 0:80', 'badPort', '0:80'],
    ['-p 8080:70000', 'badPort', '8080:70000'],
    ['-e A=two words', 'strayWord', 'words'],
  ] as const) {
    it(`shows what is wrong with ${flags}`, () => {
      const { problems } = parseEnvFlags(flags);
      assert.deepEqual(
        problems.map((problem) => [problem.kind, problem.subject]),
        [[kind, subject]],
      );
    });
  }

  it('gives each entry and each problem its place', () => {
    const flags = '-e A=1  -p x:1';
    const { entries, problems } = parseEnvFlags(flags);
    const cut = (span?: { offset: number; length: number }) =>
      span && flags.slice(span.offset, span.offset + span.length);
    assert.equal(cut(entries[0]?.span), '-e A=1');
    assert.equal(cut(problems[0]?.span), '-p x:1');
  });

  it('is the same after writing and reading, for any names and values', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (entries) => {
        const written = formatEnvFlags(entries);
        const read = parseEnvFlags(written);
        assert.deepEqual(read.problems, []);
        assert.deepEqual(
          read.entries.map((located) => located.entry),
          entries,
        );
      }),
      { numRuns: 500 },
    );
  });

  /** A flag in one of the ways in which people write it, with what it means. */
  const word = fc.constantFrom(
    'box',
    'my host',
    'a"b',
    "it's",
    'x\\y',
    '$HOME',
    'a|b',
    '{"a": 1}',
    '-1',
    'é',
    'a\nb',
    '#1',
  );
  const inQuotes = (value: string) =>
    fc.constantFrom(
      `"${value.replace(/["\\$`]/g, '\\$&')}"`,
      ...(value.includes("'") ? [] : [`'${value}'`]),
      ...(value.includes('\n') ? [] : [value.replace(/[^A-Za-z0-9=]/g, '\\$&')]),
    );
  const spelled = (forms: readonly string[], value: string, entry: EnvEntry) =>
    fc
      .tuple(fc.constantFrom(...forms), inQuotes(value))
      .map(([form, quoted]) => ({ text: form + quoted, entries: [entry] }));
  const written: fc.Arbitrary<{ readonly text: string; readonly entries: readonly EnvEntry[] }> = fc.oneof(
    fc.tuple(fc.constantFrom('A', 'HF_HOME', 'x.y'), word).chain(([name, value]) =>
      spelled(['-e ', '-e', '-e=', '--env ', '--env='], `${name}=${value}`, {
        kind: 'variable',
        name,
        value,
      }),
    ),
    fc
      .tuple(port, port, fc.constantFrom('', '/tcp', '/udp'))
      .map(([host, container, suffix]) => `${host}:${container}${suffix}`)
      .chain((mapping) =>
        spelled(['-p ', '-p', '-p=', '--publish ', '--publish='], mapping, { kind: 'port', mapping }),
      ),
    word.chain((value) =>
      spelled(['-h ', '-h', '-h=', '--hostname ', '--hostname='], value, { kind: 'flag', flag: '-h', value }),
    ),
    fc
      .tuple(
        fc.constantFrom('-v', '-w', '-u', '--gpus', '--shm-size', '--entrypoint', '--ulimit', '--cap-add'),
        word,
      )
      .chain(([flag, value]) => spelled([`${flag} `], value, { kind: 'flag', flag, value })),
    fc
      .constantFrom(
        '--rm',
        '--privileged',
        '-it',
        '-d',
        '-i',
        '--init',
        '--ipc=host',
        '--shm-size=8g',
        '--network=host',
      )
      .map((text) => ({ text, entries: [{ kind: 'flag' as const, flag: text }] })),
    fc.constant({
      text: '-itp 80:81',
      entries: [
        { kind: 'flag' as const, flag: '-it' },
        { kind: 'port' as const, mapping: '80:81' },
      ],
    }),
  );
  const between = fc.constantFrom(' ', '  ', '\n', ' \\\n', ' \\\r\n  ', '\t', ' \\ \n', ' \\\n \\\n');

  it('is read whole in every way of writing it for a shell, and means the same once it is written again', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(written, between), { maxLength: 8 }), (parts) => {
        const flags = parts.map(([{ text }, space]) => text + space).join('');
        const entries = parts.flatMap(([one]) => one.entries);
        const read = parseEnvFlags(flags);
        assert.deepEqual([entriesOf(flags), read.problems], [entries, []], flags);
        assert.deepEqual(entriesOf(formatEnvFlags(entries)), entries);
        const object = envFlagsToObject(flags);
        if (object) {
          assert.deepEqual(entriesOf(envObjectToFlags(object)), entries);
        }
        assert.deepEqual(entriesOf(replaceValues(flags, (_, value) => value)), entries);
        assert.equal(
          replaceValues(flags, () => undefined),
          flags,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('is taken apart by a shell in the same words', () => {
    const parts = fc.sample(fc.tuple(written, between), { numRuns: 60, seed: testSeed });
    for (const [{ text, entries }, space] of parts) {
      // A space after the backslash is one of people, and `-e=A` is joined by Docker.
      if (/\\ \n/.test(space) || /[$]HOME/.test(text)) {
        continue;
      }
      const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${text}${space}`], { encoding: 'utf8' });
      const words = stdout.split('\0').slice(0, -1);
      assert.deepEqual(
        entriesOf(words.map((one) => `'${one.replaceAll("'", `'"'"'`)}'`).join(' ')),
        entries,
        text,
      );
    }
  });

  it('names one cause once', () => {
    const problemsOf = (flags: string) =>
      parseEnvFlags(flags).problems.map(({ kind, subject }) => `${kind} ${subject}`);
    assert.deepEqual(problemsOf('-e A=one two three four -p 80:80'), ['strayWord two three four']);
    assert.deepEqual(problemsOf('-e -p 80:80 -e B=1'), ['missingValue -p']);
    assert.deepEqual(problemsOf('-e A -e B=two words'), ['missingValue A', 'strayWord words']);
    assert.deepEqual(problemsOf('docker run --rm image:tag'), [
      'strayWord docker run',
      'strayWord image:tag',
    ]);
  });

  it('keeps the name of a pair with a host name, and a rental accepts it', () => {
    for (const env of [
      [['-h', 'box']],
      { '-h': 'box' },
      { '--hostname': 'box' },
      { '-h box': '1' },
      '-hbox',
    ]) {
      const read = readEnv(env);
      assert.equal(typeof read === 'object' ? envObjectToFlags(read) : read, '-h box', JSON.stringify(env));
      assert.deepEqual(envFlagsToObject(envText(read)), { '-h': 'box' });
    }
    assert.equal(rentalEnvProblem('-h', 'box-1.lab'), undefined);
    assert.equal(
      formatText(rentalEnvProblem('-h', 'a b') ?? ''),
      '"a b" is not a host name. Use letters, digits, hyphens and dots.',
    );
    assert.deepEqual(
      envEntries({ '--gpus': 'all', '--privileged': '1', '-v': '/a:/b', '--init': 'true' }).entries,
      [
        { kind: 'flag', flag: '--gpus', value: 'all' },
        { kind: 'flag', flag: '--privileged' },
        { kind: 'flag', flag: '-v', value: '/a:/b' },
        { kind: 'flag', flag: '--init' },
      ],
    );
  });

  it('never throws, and covers places inside the text only', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'-ep= "\'\\:8$A\n'.split('')), maxLength: 30 }),
        (flags) => {
          const { entries, problems } = parseEnvFlags(flags);
          for (const { span } of [...entries, ...problems]) {
            assert.ok(span.offset >= 0 && span.length > 0 && span.offset + span.length <= flags.length);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the object form of an environment', () => {
  it('holds ports and other flags as keys with the value 1', () => {
    assert.deepEqual(envFlagsToObject('--privileged -e A=1'), { '--privileged': '1', A: '1' });
    assert.deepEqual(envFlagsToObject('-e A=1 -p 80:80 --ipc=host'), {
      A: '1',
      '-p 80:80': '1',
      '--ipc=host': '1',
    });
  });

  it('is refused where it would lose something', () => {
    assert.equal(envFlagsToObject('-e A=1 -e A=2'), undefined);
    assert.equal(envFlagsToObject('-e "-p 1:1=x"'), undefined);
    assert.equal(envFlagsToObject('-e A'), undefined);
  });

  it('names the key that can’t be read', () => {
    assert.deepEqual(envEntries({ 'A=B': 'x', '-p 8': '1', '-p 80:80': '1' }).problems, [
      { key: 'A=B', kind: 'badName' },
      { key: '-p 8', kind: 'badPort' },
    ]);
  });

  it('is converted to flags and back without loss in every possible case', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 6 }), (entries) => {
        const object = envObject(entries);
        fc.pre(object !== undefined);
        assert.deepEqual(entriesOf(envObjectToFlags(object)), entries);
        assert.deepEqual(
          Object.entries(envFlagsToObject(envObjectToFlags(object)) ?? {}),
          Object.entries(object),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is read from every shape in which records carry an environment', () => {
    const expected = { A: '1', '-p 8000:8000': '1' };
    assert.deepEqual(readEnv('-e A=1 -p 8000:8000'), expected);
    assert.deepEqual(readEnv({ A: '1', '-p 8000:8000': '1' }), expected);
    assert.deepEqual(
      readEnv([
        ['A', '1'],
        ['-p 8000:8000', '1'],
      ]),
      expected,
    );
    assert.deepEqual(readEnv(['A=1']), { A: '1' });
    assert.deepEqual(readEnv(['A=1', 7, null, 'B', ['C']]), { A: '1', C: '' });
    // What cannot be read is kept as it is.
    const odd = [
      ['A', '1'],
      ['-p eighty', '1'],
    ];
    assert.deepEqual(readEnv(odd), Object.fromEntries(odd));
    for (const nothing of ['', '  ', null, undefined, [], {}]) {
      assert.equal(readEnv(nothing), undefined);
    }
    assert.equal(readEnv('-e A=1 -e A=2'), '-e A=1 -e A=2');
  });
});

describe('a port mapping', () => {
  it('is two ports with an optional protocol', () => {
    assert.deepEqual(parsePort('8080:80'), { hostPort: 8080, containerPort: 80, protocol: 'tcp' });
    assert.deepEqual(parsePort('53:53/udp'), { hostPort: 53, containerPort: 53, protocol: 'udp' });
    assert.deepEqual(parsePort('70000:70000'), { hostPort: 70000, containerPort: 70000, protocol: 'tcp' });
    for (const wrong of [
      '65536:65536',
      '70000:70001',
      '80',
      '80:',
      ':80',
      'a:b',
      '80:80/icmp',
      '1.2.3.4:80:80',
      '80-90:80-90',
      '99999:1',
    ]) {
      assert.equal(parsePort(wrong), undefined, wrong);
    }
  });
});
