import assert from 'node:assert/strict';
import fc from 'fast-check';
import { numbersOf } from '../../../../src/jobs/model/logNumbers';

describe('The numbers of a log', () => {
  const cases: readonly (readonly [string, ReturnType<typeof numbersOf>])[] = [
    ["{'loss': 2.3105, 'learning_rate': 5e-05, 'epoch': 0.64}\n", { loss: '2.3105', epoch: '0.64' }],
    ['Epoch 3/10, step 1200/4000, loss=0.0123\n', { epoch: '3/10', step: '1200/4000', loss: '0.0123' }],
    [
      ' 45%|████▌     | 450/1000 [00:12<00:15, 36.10it/s, loss=1.2e-3]\r',
      { step: '450/1000', speed: '36.10it/s', loss: '1.2e-3' },
    ],
    ['Epoch [2/5] Loss: -0.5\n', { epoch: '2/5', loss: '-0.5' }],
    ['step 10 | loss 3.5 | 1.20s/it\nstep 11 | loss 3.4\n', { step: '11', loss: '3.4', speed: '1.20s/it' }],
    ['train_loss = 0.7\nval_loss = 0.9\n', { loss: '0.7' }],
    ['stepped 5 times, lossless 3, epochs: many, at 12.5.3.4\n', {}],
    ['no numbers at all', {}],
  ];
  for (const [log, found] of cases) {
    it(`are found in ${JSON.stringify(log)}`, () => {
      assert.deepEqual(numbersOf(Buffer.from(log)), found);
    });
  }

  it('stay until others are printed', () => {
    assert.deepEqual(numbersOf(Buffer.from('loss=2\n'), { epoch: '1', loss: '3' }), {
      epoch: '1',
      loss: '2',
    });
    assert.deepEqual(numbersOf(Buffer.from('saving\n'), { epoch: '1' }), { epoch: '1' });
  });

  it('are digits and short, for any log', () => {
    const words = fc.constantFrom(
      'loss',
      '=',
      ' ',
      'step',
      '1',
      '/',
      '9'.repeat(40),
      'epoch',
      '[',
      '\r',
      '\n',
      '.',
      'it/s',
      '|',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string({ unit: 'binary' })), { maxLength: 60 }), (parts) => {
        for (const value of Object.values(numbersOf(Buffer.from(parts.join(''))))) {
          assert.match(value as string, /^[-+\d./eEA-Za-z]{1,40}$/);
        }
      }),
    );
  });

  it('are found in a time that grows with the log alone', () => {
    for (const unit of ['loss ', 'step=', ' '.repeat(50), '9', '| 1/', 'epoch [', '1.']) {
      const started = performance.now();
      numbersOf(Buffer.from(unit.repeat(200_000)));
      assert.ok(performance.now() - started < 500, unit);
    }
  });
});
