import assert from 'node:assert/strict';
import type { BeforeDestroy, WorkCheck } from '../../../../src/features/lifecycle/beforeDestroy';
import { destroyQuestion } from '../../../../src/features/lifecycle/destroyText';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import type { Volume } from '../../../../src/model/volume';
import { text } from '../../../../src/util/text';
import { anInstance } from '../../../support/builders';
import { only } from '../../../support/only';

describe('The question before a destruction', () => {
  const trainer = anInstance({ id: 7, label: 'trainer', volumes: [] });
  const helper = anInstance({ id: 8, label: 'helper', volumes: [] });
  const volume = (more: object): Volume => ({
    ...{ id: 3, label: 'data', sizeGb: 100, perHour: fromDollars(0.01), instanceIds: [] },
    ...more,
  });
  const lines = (
    instances: readonly Instance[],
    checks: readonly (readonly [Instance, WorkCheck])[] = [],
    more: Partial<BeforeDestroy> = {},
  ) => {
    const found = { volumes: [], hasUnreadVolumes: false, checks: new Map(checks), ...more };
    const { message, detail, button, keep } = destroyQuestion(instances, found);
    return [message, ...(detail ?? '').split('\n'), `[${button} | ${keep}]`];
  };
  const work = { repositories: [], others: [], folder: undefined, isComplete: true };
  const seen = (more: object): WorkCheck =>
    ({ kind: 'seen', work: { ...work, ...more } }) as unknown as WorkCheck;

  const below = (check: WorkCheck) => lines([trainer], [[trainer, check]]).slice(2, -1);

  it('shows what is lost and that the cost ends, for one and for several', () => {
    assert.deepEqual(lines([trainer]), [
      'Destroy “trainer”?',
      "All data on disk is lost for good. This can't be undone. You are not charged afterwards.",
      '[Destroy | Keep Instance]',
    ]);
    assert.deepEqual(lines([trainer, helper]), [
      'Destroy 2 instances?',
      "All data on disk is lost for good. This can't be undone. You are not charged afterwards.",
      '',
      '• trainer',
      '• helper',
      '[Destroy | Keep Instances]',
    ]);
  });

  it('promises the end of the cost only where no volume may be left', () => {
    const second = (...given: Parameters<typeof lines>) => lines(...given)[1];
    const free = /You are not charged afterwards\./;
    const open = /Could not read which ones it has\./;
    const none = anInstance({ id: 7 });
    assert.match(second([none]) ?? '', free);
    assert.match(second([none], [], { volumes: undefined }) ?? '', open);
    assert.match(second([none], [], { hasUnreadVolumes: true }) ?? '', open);
    assert.match(second([none], [], { volumes: [volume({ instanceIds: undefined })] }) ?? '', open);
    assert.match(second([trainer], [], { volumes: undefined }) ?? '', free);
    const attached = anInstance({ id: 7, volumes: only([3]) });
    assert.match(second([attached]) ?? '', open);
    assert.match(second([trainer, none], [], { volumes: undefined }) ?? '', open);
  });

  it('names the volumes that are kept, with their size and what they cost', () => {
    const kept = [volume({ instanceIds: [7] }), volume({ id: 4, label: 'other', instanceIds: [9] })];
    assert.equal(
      lines([trainer], [], { volumes: kept })[1],
      "All data on disk is lost for good. This can't be undone. Data on a volume is kept and still costs money until you delete it: data (100 GB, $0.240/day).",
    );
    const odd = [
      volume({ instanceIds: [7], sizeGb: undefined }),
      volume({ id: 4, label: 'b', instanceIds: [7, 9] }),
    ];
    assert.equal(
      lines([trainer], [], { volumes: odd })[1],
      "All data on disk is lost for good. This can't be undone. Data on a volume is kept and still costs money until you delete it: data ($0.240/day), b (100 GB, $0.240/day).",
    );
  });

  it('shows what was found on it, or why nothing is known', () => {
    assert.deepEqual(below({ kind: 'never' }), []);
    assert.deepEqual(below({ kind: 'notRunning' }), [
      '',
      "It is stopped, so unsaved work on it can't be checked.",
    ]);
    assert.deepEqual(below({ kind: 'noAnswer' }), [
      '',
      "It did not answer over SSH, so unsaved work on it can't be checked.",
    ]);
    assert.deepEqual(below({ kind: 'noLogin', why: text('It refuses the key.') }), [
      '',
      "Unsaved work on it can't be checked. It refuses the key.",
    ]);
    assert.deepEqual(below(seen({})), ['', 'All Git work found on it has been pushed.']);
    assert.deepEqual(below(seen({ isComplete: false })), [
      '',
      'Some folders on it could not be checked for Git work.',
    ]);
    assert.deepEqual(below(seen({ folder: { path: '/workspace', kilobytes: 999_999 } })), [
      '',
      'All Git work found on it has been pushed.',
      '/workspace holds 1.0 GB.',
    ]);
    assert.deepEqual(below(seen({ folder: { path: '/workspace', kilobytes: 3_000_000 } })), [
      '',
      'All Git work found on it has been pushed.',
      '/workspace holds 3.1 GB.',
    ]);
    const repositories = Array.from({ length: 7 }, (_, at) => ({
      path: `/w/${at}`,
      changes: at,
      unpushed: 1 - (at % 2),
    }));
    assert.deepEqual(
      below(seen({ others: [text('A job runs there.')], repositories: repositories.slice(1) })),
      [
        '',
        '⚠ A job runs there.',
        '⚠ /w/1: uncommitted files: 1',
        '⚠ /w/2: uncommitted files: 2, unpushed commits: 1',
        '⚠ /w/3: uncommitted files: 3',
        '⚠ /w/4: uncommitted files: 4, unpushed commits: 1',
        '⚠ /w/5: uncommitted files: 5',
        '… and 1 more with unsaved work',
      ],
    );
  });

  it('never reports work as pushed that could not be read', () => {
    const unread = { path: '/w/a', changes: 'unknown', unpushed: 'unknown' } as const;
    assert.deepEqual(
      below(seen({ repositories: [unread, { ...unread, changes: 2 }, { ...unread, unpushed: 0 }] })),
      [
        '',
        '⚠ /w/a: uncommitted files could not be read, unpushed commits could not be read',
        '⚠ /w/a: uncommitted files: 2, unpushed commits could not be read',
        '⚠ /w/a: uncommitted files could not be read',
      ],
    );
  });

  it('names for several which one it means', () => {
    const checks = [
      [trainer, { kind: 'noAnswer' }],
      [helper, seen({})],
    ] as const;
    assert.deepEqual(lines([trainer, helper], checks).slice(3, 5), [
      "trainer: It did not answer over SSH, so unsaved work on it can't be checked.",
      'helper: All Git work found on it has been pushed.',
    ]);
  });
});
