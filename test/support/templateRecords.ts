import fc from 'fast-check';

/**
 * Records of templates in every form in which the service may send them, as the JSON text of an answer
 * (docs/service/templates.md#record).
 */

/** Any characters, halves of pairs included. */
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
);
export const variableName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
export const variableValue = words;
/** Text, nothing, or a number in its place. */
const text = fc.oneof({ weight: 6, arbitrary: words }, fc.constant(null), fc.integer(), fc.constant(''));
const script = fc.oneof(
  text,
  fc
    .tuple(words, fc.integer({ min: 1, max: 400 }))
    .map(([line, count]) => `#!/bin/bash\r\n${`${line}\n`.repeat(count)}`),
  fc.constant('x'.repeat(20_000)),
);
const flag = fc.constantFrom<unknown>(true, false, 0, 1, 'true', 'false', '0', '1', null, 'maybe');
const amount = fc.constantFrom<unknown>(8, '16', '32.5', 32.5, 0, null, '', '1e2', 'much');
const time = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<unknown>(null, '1768478400.25', 0),
);

/** Names that mean something to an object of the language, or that it would put first. */
const oddName = fc.constantFrom(
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'length',
    '',
    '0',
    '17',
  ],
);

const operand = fc.oneof(
  fc.integer(),
  fc.boolean(),
  words,
  fc.array(words, { maxLength: 3 }),
  fc.constant(null),
);
/** Documented filters, and such as only the service knows. */
const filters = fc.dictionary(
  fc.oneof(fc.constantFrom('gpu_name', 'num_gpus', 'reliability', 'zz', '$order'), oddName),
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.dictionary(fc.constantFrom('eq', 'gte', 'in', 'like'), operand, { maxKeys: 2 }),
    },
    operand,
  ),
  { maxKeys: 4 },
);
const filterForms = fc.oneof(
  filters,
  filters.map((value) => JSON.stringify(value)),
  filters.map((value) => JSON.stringify(value, null, 2)),
  fc.constantFrom<unknown>(null, '', '  ', '{}', 'null', '[]', '"text"', '{broken', [], 5, true),
);

/** A value as a user may quote it for a shell. */
const quoted = words.chain((value) =>
  fc.constantFrom(
    `"${value.replaceAll(/["\\$`]/g, '\\$&')}"`,
    `'${value.replaceAll("'", '')}'`,
    value.replaceAll(/[^\w./:=-]/g, '') || 'x',
  ),
);
const port = fc.integer({ min: 1, max: 65535 });
/** One flag of an environment as text, in every way in which it can be written. */
const envFlag = fc.oneof(
  fc
    .tuple(fc.constantFrom('-e ', '-e', '--env ', '--env=', '-e  '), fc.oneof(variableName, oddName), quoted)
    .map(([start, name, value]) => `${start}${name}=${value}`),
  fc
    .tuple(
      fc.constantFrom('-p ', '-p', '--publish ', '--publish='),
      port,
      port,
      fc.constantFrom('', '/udp', '/tcp'),
    )
    .map(([start, host, container, protocol]) => `${start}${host}:${container}${protocol}`),
  fc.constantFrom('--ipc=host', '-h name', '--shm-size 1g', '-v /a:/b'),
);
const anyName = fc.oneof(
  words,
  variableName,
  oddName,
  fc.constantFrom('-p 80:80', '-p eighty', '-e A', 'A=B'),
);
/** The three shapes of an environment, and texts that none of them can hold. */
const environment = fc.oneof(
  fc.array(envFlag, { maxLength: 5 }).map((flags) => flags.join(' ')),
  fc.constantFrom('', '-e A=1 -e A=2', `-e Q="it's" -p 1:1/udp`, '-e broken', 'stray', '-e "open', '-p 1'),
  words,
  fc.dictionary(anyName, fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 }),
  fc.dictionary(variableName, words, { maxKeys: 4 }),
  fc.array(fc.tuple(anyName, fc.oneof(words, fc.integer(), fc.constant(null))), { maxLength: 3 }),
  fc.array(
    fc.tuple(variableName, words).map(([name, value]) => `${name}=${value}`),
    { maxLength: 3 },
  ),
  fc.constantFrom<unknown>(null, 7, ['stray'], [[]]),
);

const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: text,
  image: text,
  tag: text,
  desc: text,
  readme: script,
  readme_visible: flag,
  env: environment,
  onstart: script,
  runtype: fc.oneof(text, fc.constantFrom('ssh', 'jupyter', 'args', 'ssh ssh_direc ssh_proxy')),
  args_str: text,
  ssh_direct: flag,
  use_ssh: flag,
  jup_direct: flag,
  use_jupyter_lab: flag,
  jupyter_dir: text,
  docker_login_repo: text,
  docker_login_user: text,
  docker_login_pass: text,
  href: text,
  repo: text,
  extra_filters: filterForms,
  recommended_disk_space: amount,
  private: flag,
  volume_info: fc.constantFrom<unknown>(null, {}, { mount_path: '/data' }, '{"size":10}', '', 'x', [1]),
  creator_id: fc.oneof(fc.integer(), fc.constantFrom<unknown>('12', null)),
  created_at: time,
  count_created: amount,
  default_tag: text,
  recent_create_date: time,
  recommended: flag,
};

const someFields = fc
  .subarray(Object.keys(fields))
  .chain((names) =>
    fc.tuple(...names.map((name) => (fields[name] ?? text).map((value): [string, unknown] => [name, value]))),
  );
const unknownFields = fc.array(
  fc.tuple(fc.oneof(oddName, words, fc.constantFrom('zone', 'surprise')), fc.jsonValue()),
  { maxLength: 4 },
);
/** Sent twice, which only the last one survives. */
const identity = fc
  .tuple(fc.integer({ min: 1, max: 1e9 }), fc.boolean(), fc.stringMatching(/^[0-9a-f]{32}$/))
  .map(([id, asText, hash]): [string, unknown][] => [
    ['id', asText ? String(id) : id],
    ['hash_id', hash],
  ]);

/** The text of a record; keys come in any order, and some of them twice. */
export const templateRecordText = fc
  .tuple(identity, someFields, someFields, unknownFields)
  .chain(([own, one, other, unknown]) => {
    const twice = other.slice(0, 2);
    const all = [...own, ...one, ...unknown, ...twice];
    return fc.shuffledSubarray(all, { minLength: all.length });
  })
  .map(
    (pairs) =>
      `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
  );
