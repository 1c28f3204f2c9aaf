import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fieldTable } from '../../../../../src/jobs/model/export/fieldTable';
import { innerFields, jobFields } from '../../../../../src/jobs/model/jobFields';
import { recipeFields } from '../../../../../src/model/workspace/workspaceFile';
import { withFields } from '../../../../support/exportTable';
import { repository } from '../../../../support/installed';

const page = path.join(repository, 'docs', 'job-export.md');
const fieldsOf = (of: 'job' | 'machine') =>
  fieldTable.filter((row) => row.of === of).map(({ field }) => field);

describe('the table of fields for other engines', () => {
  it('in docs/job-export.md is up to date (otherwise: npm run operations)', () => {
    const document = readFileSync(page, 'utf8');
    assert.equal(document, withFields(document));
  });

  it('has each field of a job, also those inside of others', () => {
    const inner = new Map(Object.entries(innerFields));
    const all = Object.keys(jobFields.shape).flatMap((name) =>
      name === 'sync' ? [name] : (inner.get(name)?.map((one) => `${name}.${one}`) ?? [name]),
    );
    assert.deepEqual(fieldsOf('job').toSorted(), all.toSorted());
  });

  it('has each field of a machine', () => {
    const named = new Set(fieldsOf('machine').map((field) => field.replace(/[.( ].*/, '')));
    assert.deepEqual([...named].sort(), Object.keys(recipeFields.shape).sort());
  });
});
