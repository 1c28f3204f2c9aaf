import assert from 'node:assert/strict';
import type { Question } from '../../../../src/editor/confirm';
import * as words from '../../../../src/features/lifecycle/lifecycleText';
import type { Instance } from '../../../../src/model/instances/instance';
import { anInstance } from '../../../support/builders';

describe('The questions before instances change', () => {
  const one = [anInstance({ id: 7, label: 'trainer' })];
  const both = [...one, anInstance({ id: 8, label: 'helper' })];
  const table: readonly (readonly [
    question: (instances: readonly Instance[]) => Question,
    one: string,
    both: string,
  ])[] = [
    [
      words.startQuestion,
      'Start “trainer”? Once started, it costs $0.400/h. If another user has its GPU, the start waits until it is free.',
      'Start 2 instances? Once started, they cost $0.800/h. If other users have their GPUs, the starts wait until these are free.',
    ],
    [
      words.stopQuestion,
      "Stop “trainer”? Running processes stop. Its disk is kept and still costs $0.120/day. Another user may rent the GPU, and then the instance can't start again until it is free.",
      "Stop 2 instances? Running processes stop. Their disks are kept and still cost $0.240/day. Other users may rent the GPUs, and then the instances can't start again until these are free.",
    ],
    [
      words.cancelStartQuestion,
      'Cancel the start of “trainer”? It is waiting for a free GPU. If you cancel, it stays stopped, and its disk is kept and still costs $0.120/day.',
      'Cancel the start of 2 instances? They are waiting for free GPUs. If you cancel, they stay stopped, and their disks are kept and still cost $0.240/day.',
    ],
    [
      words.rebootQuestion,
      'Reboot “trainer”? Running processes stop. Its disk and its GPU are kept, and it still costs $0.400/h.',
      'Reboot 2 instances? Running processes stop. Their disks and GPUs are kept, and they still cost $0.800/h.',
    ],
  ];

  for (const [question, ofOne, ofBoth] of table) {
    it(`fit one and several: ${ofOne.slice(0, ofOne.indexOf(' “'))}`, () => {
      const shown = (instances: readonly Instance[]) => {
        const { message, detail = '' } = question(instances);
        return `${message} ${detail.split('\n\n')[0]}`;
      };
      assert.deepEqual([shown(one), shown(both)], [ofOne, ofBoth]);
    });
  }
});
