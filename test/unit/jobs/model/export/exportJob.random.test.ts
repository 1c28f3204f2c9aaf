import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { load } from 'js-yaml';
import { dstackTask } from '../../../../../src/jobs/model/export/dstackTask';
import { endings, exportJob } from '../../../../../src/jobs/model/export/exportJob';
import { skypilotTask } from '../../../../../src/jobs/model/export/skypilotTask';
import { UserError } from '../../../../../src/util/errors';
import { formatText, type Text } from '../../../../../src/util/text';
import { engineProblems } from '../../../../support/engineSchemas';
import { randomJob, type RandomJob } from '../../../../support/randomJobs';

const runs = 500;
const place = { workdir: '..', isRepository: false } as const;
const localize = (sentence: Text) => formatText(sentence);

/** Exports a job to both engines; one that an engine refuses is left out. */
function exportsOf({ leaving }: RandomJob) {
  const ways = [
    { engine: 'skypilot', kind: 'task' },
    { engine: 'dstack', kind: 'task' },
    { engine: 'dstack', kind: 'dev-environment' },
    { engine: 'dstack', kind: 'service' },
  ] as const;
  return ways.flatMap((way) => {
    try {
      const exported = () =>
        exportJob(leaving, { ...place, ...way, file: `.vscode/job${endings[way.engine]}`, localize });
      const task =
        way.engine === 'skypilot' ? skypilotTask(leaving) : dstackTask(leaving, { ...place, ...way });
      return [
        { engine: way.engine, value: task.value, content: exported().content, again: exported().content },
      ];
    } catch (error) {
      assert.ok(error instanceof UserError, String(error));
      return [];
    }
  });
}

describe('an exported job', () => {
  it('follows the rules of its engine, is read as what was written, and is written alike again', () => {
    let count = 0;
    fc.assert(
      fc.property(randomJob, (job) => {
        for (const { engine, value, content, again } of exportsOf(job)) {
          count += 1;
          const read = load(content);
          assert.deepEqual(read, value);
          assert.deepEqual(engineProblems(engine, read), []);
          assert.equal(again, content);
          assert.deepEqual(
            linesOfComment(content).filter((line) => !line.startsWith('#')),
            [],
          );
        }
      }),
      { numRuns: runs },
    );
    assert.ok(count > runs, `${count} files`);
  });
});

/** Returns the lines before the first key, by every character that ends a line in YAML 1.1. */
function linesOfComment(content: string): readonly string[] {
  const [comment = ''] = content.split(/^(?:name|type): /m, 1);
  return comment.replace(/\n$/, '').split(/[\n\r\u0085\u2028\u2029]/);
}
