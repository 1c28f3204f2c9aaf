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
      'Start “trainer”? Cost once started: $0.400/h. If another user has the GPU, the start waits until it is free.',
      'Start 2 instances? Cost once started: $0.800/h. If another user has the GPU, the start waits until it is free.',
    ],
    [
      words.stopQuestion,
      'Stop “trainer”? Running processes stop. Storage is kept and still costs $0.120/day. If another user then rents the GPU, a start waits until it is free.',
      'Stop 2 instances? Running processes stop. Storage is kept and still costs $0.240/day. If another user then rents the GPU, a start waits until it is free.',
    ],
    [
      words.cancelStartQuestion,
      'Cancel the start of “trainer”? The start waits for a free GPU. If you cancel it, storage is kept and still costs $0.120/day.',
      'Cancel the start of 2 instances? The start waits for a free GPU. If you cancel it, storage is kept and still costs $0.240/day.',
    ],
    [
      words.rebootQuestion,
      'Reboot “trainer”? Running processes stop. Disk and GPU are kept, and the cost stays $0.400/h.',
      'Reboot 2 instances? Running processes stop. Disk and GPU are kept, and the cost stays $0.800/h.',
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
