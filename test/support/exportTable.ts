import { fieldTable, type Mapping } from '../../src/jobs/model/export/fieldTable';
import { formatText } from '../../src/util/text';
import { table } from './operationsTable';

const start = '<!-- fields: made by `npm run operations` -->';
const end = '<!-- end of fields -->';

/** Returns docs/job-export.md with the table of fields as the code has it. */
export function withFields(document: string): string {
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) {
    throw new Error('docs/job-export.md has lost the marks of the table');
  }
  const tables = (['job', 'machine'] as const).map((of) => {
    const rows = fieldTable
      .filter((row) => row.of === of)
      .map(({ field, engines: { skypilot, dstack } }) => [
        `\`${field}\``,
        ...cells(skypilot),
        ...cells(dstack),
      ]);
    return `${of === 'job' ? 'Of a job:' : 'Of its machine:'}\n\n${table(['field', 'SkyPilot', 'lost there', 'dstack', 'lost there'], rows)}`;
  });
  return `${document.slice(0, from)}${start}\n\n${tables.join('\n\n')}\n\n${document.slice(to)}`;
}

function cells({ to, lost, losing }: Mapping): readonly string[] {
  const what = lost ? formatText(lost) : '';
  return [
    to === undefined
      ? 'none'
      : to
          .split(', ')
          .map((name) => `\`${name}\``)
          .join(', '),
    lost && losing ? `Of some jobs: ${what}` : what,
  ];
}
