import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  completeTemplateQuery,
  parseTemplateQuery,
  queryFields,
  type TemplateFilters,
} from '../../../../src/model/templates/templateQuery';
import { formatText } from '../../../../src/util/text';

const filtersOf = (query: string) => {
  const parsed = parseTemplateQuery(query);
  assert.ok(parsed.kind === 'filters', query);
  return parsed.filters;
};

/** Writes a condition, a text in quotes where it has a character of the syntax. */
function conditionOf(field: string, [operator, value]: [string, unknown]): string {
  const scalar = (one: unknown) =>
    typeof one === 'string' && (!/^[^\s"'<>=![\],]+$/.test(one) || one.toLowerCase() === 'and')
      ? `"${one.replace(/["\\]/g, '\\$&')}"`
      : String(one);
  return Array.isArray(value)
    ? `${field} ${operator} [${value.map(scalar).join(', ')}]`
    : `${field} ${operator === 'eq' ? '=' : '!='} ${scalar(value)}`;
}

describe('the search of public templates', () => {
  it('reads the documented fields and operators', () => {
    assert.deepEqual(
      filtersOf(
        'recommended = true and image in [pytorch/pytorch, "my image"], count_created > 100 name != x',
      ),
      {
        recommended: { eq: true },
        image: { in: ['pytorch/pytorch', 'my image'] },
        count_created: { gt: 100 },
        name: { neq: 'x' },
      },
    );
    assert.deepEqual(filtersOf('count_created >= 1 and count_created<=5'), {
      count_created: { gte: 1, lte: 5 },
    });
    assert.deepEqual(filtersOf('tag not in [a] id notin [1, 2]'), {
      tag: { notin: ['a'] },
      id: { notin: [1, 2] },
    });
    assert.deepEqual(filtersOf('created_at > 2026-01-01'), { created_at: { gt: 1767225600 } });
    assert.deepEqual(filtersOf('  '), {});
  });

  for (const [query, at, words] of [
    ['colour = red', 'colour', /not a search field/],
    ['recommended = maybe', 'maybe', /true or false/],
    ['count_created > many', 'many', /number/],
    ['recommended > true', '>', /allows only/],
    ['image in [a', '', /not closed/],
    ['image in a', 'a', /brackets/],
    ['image =', '', /Expected a value/],
    ['image', '', /Expected an operator/],
    ['image = "open', '"open', /quote/],
    ['created_at > soon', 'soon', /date/],
  ] as const) {
    it(`shows where "${query}" is wrong`, () => {
      const parsed = parseTemplateQuery(query);
      assert.ok(parsed.kind === 'problem');
      const { span, message } = parsed.problem;
      assert.equal(query.slice(span.offset, span.offset + span.length), at);
      assert.match(formatText(message), words);
    });
  }

  it('reads every value that can be written, also what looks like syntax', () => {
    const scalars = {
      text: fc.string({ minLength: 1 }),
      number: fc.integer(),
      flag: fc.boolean(),
      time: fc.nat(),
    };
    const condition = fc.constantFrom(...Object.entries(queryFields)).chain(([field, type]) =>
      fc.oneof(
        scalars[type].map((value): TemplateFilters => ({ [field]: { eq: value } })),
        type === 'text' || type === 'number'
          ? fc
              .array<string | number>(scalars[type])
              .map((value): TemplateFilters => ({ [field]: { in: value } }))
          : scalars[type].map((value): TemplateFilters => ({ [field]: { neq: value } })),
      ),
    );
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), (list) => {
        const filters: TemplateFilters = Object.assign({}, ...list) as TemplateFilters;
        const conditions = Object.entries(filters).flatMap(([field, one]) =>
          Object.entries(one).map((pair) => conditionOf(field, pair)),
        );
        assert.deepEqual(filtersOf(conditions.join(' and ')), filters);
      }),
      { numRuns: 300 },
    );
  });

  it('offers what can follow', () => {
    const labels = (query: string) => completeTemplateQuery(query).map(({ label }) => label);
    assert.deepEqual(
      labels('rec'),
      ['recommended', 'recommended_disk_space', 'recent_create_date'].sort(
        (a, b) => Object.keys(queryFields).indexOf(a) - Object.keys(queryFields).indexOf(b),
      ),
    );
    assert.deepEqual(labels('recommended '), ['=', '!=']);
    assert.deepEqual(labels('recommended = '), ['true', 'false']);
    assert.deepEqual(labels('recommended = true '), ['and']);
    assert.deepEqual(labels('recommended = true and ima'), ['image']);
    assert.deepEqual(completeTemplateQuery('image i'), [
      { query: 'image in [', label: 'in', detail: { template: 'Operator', args: [] } },
    ]);
  });
});
