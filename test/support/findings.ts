import assert from 'node:assert/strict';
import type { Finding } from '../../src/model/documents/finding';
import { applyChanges } from '../../src/model/documents/jsonPlaces';
import { formatText } from '../../src/util/text';

type Find = (source: string) => readonly Finding[];

/** Code, marked text and titles of the fixes of each finding. */
export function look(find: Find, source: string): string[][] {
  return find(source).map(({ code, span, fixes }) => [
    code,
    source.slice(span.offset, span.offset + span.length),
    fixes.map(({ title }) => formatText(title)).join(' / '),
  ]);
}

/** The document after a fix, read again. */
export function fixed(find: Find, source: string, title: string): unknown {
  const fix = find(source)
    .flatMap(({ fixes }) => fixes)
    .find((candidate) => formatText(candidate.title) === title);
  assert.ok(fix?.action.kind === 'edit', title);
  return JSON.parse(applyChanges(source, fix.action.changes));
}
