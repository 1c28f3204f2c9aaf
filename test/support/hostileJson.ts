import fc from 'fast-check';

/** Values that break parsers: wrong types, extremes, odd keys, markup and control characters. */
const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    '0',
    '-1',
    'NaN',
    '1e999',
    'null',
    '{"a":',
    '[]',
    'a\nProxyCommand evil',
    '\u001b]0;x\u0007',
    '\u202e',
    '__proto__',
    0,
    -0,
    -1,
    0.1,
    1e308,
    -1e308,
    Number.MAX_SAFE_INTEGER + 2,
    true,
    false,
    [],
    [null],
    [[]],
    {},
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant(JSON.parse('{"__proto__": {"id": 1}, "constructor": 1, "toString": null}') as unknown),
);

/**
 * JSON that looks more or less like `example`: parts of it replaced, left out, doubled or put into a
 * list, or something else altogether.
 */
export function hostileJson(example: unknown): fc.Arbitrary<unknown> {
  const changes = fc.array(
    fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'double', 'wrap'), nasty),
    {
      maxLength: 6,
    },
  );
  return fc.oneof(
    { weight: 4, arbitrary: changes.map((list) => list.reduce<unknown>(change, structuredClone(example))) },
    { weight: 1, arbitrary: nasty },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

type Change = readonly [where: number, how: string, value: unknown];

function change(tree: unknown, [where, how, value]: Change): unknown {
  const places: { readonly owner: Record<string, unknown> | unknown[]; readonly key: string }[] = [];
  collect(tree, places);
  const place = places[where % Math.max(1, places.length)];
  if (!place) {
    return structuredClone(value);
  }
  const owner = place.owner as Record<string, unknown>;
  if (how === 'remove') {
    if (Array.isArray(place.owner)) {
      place.owner.splice(Number(place.key), 1);
    } else {
      Reflect.deleteProperty(place.owner, place.key);
    }
  } else if (place.key === '__proto__') {
    return tree;
  } else if (how === 'double' && Array.isArray(place.owner)) {
    place.owner.push(structuredClone(place.owner[Number(place.key)]));
  } else if (how === 'wrap') {
    owner[place.key] = [owner[place.key]];
  } else {
    // A copy, because the same value may be put into itself.
    owner[place.key] = structuredClone(value);
  }
  return tree;
}

function collect(tree: unknown, places: { owner: Record<string, unknown> | unknown[]; key: string }[]): void {
  if (typeof tree !== 'object' || tree === null) {
    return;
  }
  const owner = tree as Record<string, unknown>;
  for (const key of Object.keys(owner)) {
    places.push({ owner, key });
    collect(owner[key], places);
  }
}
