import assert from 'node:assert/strict';
import { complaintIn, servingFailureText, waysOn } from '../../../../src/models/model/servingFailure';
import { readServing, type Serving } from '../../../../src/models/model/servingLog';
import { formatText } from '../../../../src/util/text';
import { engineFailures } from '../../../support/engineFailures';

const model = { repository: 'org/tiny', gpus: 1 };
const read = (...lines: readonly string[]) =>
  readServing(undefined, lines.map((line) => `${line}\n`).join(''));
const sentenceOf = ({ failure }: Serving) => failure && formatText(servingFailureText(failure, model));

const start = [
  'gpu-rental: Starting /usr/local/bin/vllm with org/tiny.',
  'INFO 11-30 06:00:00 [__init__.py:216] Automatically detected platform cuda.',
  'gpu-rental: Downloaded 5000000000 of 16400000000 bytes.',
  'gpu-rental: Downloaded 12400000000 of 16400000000 bytes.',
  'INFO 11-30 06:05:00 [weight_utils.py:408] Time spent downloading weights for org/tiny: 300.1 seconds',
  'Loading safetensors checkpoint shards:  40% Completed | 2/5 [00:01<00:02,  1.40it/s]',
  'gpu-rental: Downloaded 16400000000 of 16400000000 bytes.',
  "INFO 11-30 06:05:09 [backends.py:559] Using cache directory for vLLM's torch.compile",
  'gpu-rental: The inference server is up. Asking for a first answer.',
  'gpu-rental: Ready. Context: 40960 tokens. Tool calls: yes.',
  'gpu-rental: In use: 5 requests, 0.2 requests/s, 1200 prompt tokens, 800 output tokens, 41.5 tokens/s, 2 running, 1 waiting, last use 0 s ago, ends in 1800 s.',
];

describe('the log of a served model', () => {
  it('names its stages in their order, with how far each is', () => {
    const seen = start.map((_, index) => read(...start.slice(0, index + 1)));
    assert.deepEqual(
      seen.map(({ stage }) => stage),
      [
        ...['preparing', 'preparing', 'downloading', 'downloading', 'loading', 'loading', 'loading'],
        ...['compiling', 'answering', 'ready', 'ready'],
      ],
    );
    assert.deepEqual([seen[3]?.downloadedBytes, seen[5]?.loadedPercent], [12_400_000_000, 40]);
    assert.deepEqual(seen.at(-1), {
      stage: 'ready',
      downloadedBytes: 16_400_000_000,
      loadedPercent: 40,
      contextTokens: 40_960,
      hasTools: true,
      complaint: undefined,
      counters: {
        ...{ running: 2, waiting: 1, promptTokens: 1200, outputTokens: 800, tokensPerSecond: 41.5 },
        ...{ requests: 5, requestsPerSecond: 0.2, lastUseSecondsAgo: 0 },
      },
      idleEndInSeconds: 1800,
      isEnding: false,
    });
  });

  it('has the same meaning in pieces as whole', () => {
    let serving: Serving | undefined;
    for (const line of start) {
      serving = readServing(serving, `${line}\n`);
    }
    assert.deepEqual(serving, read(...start));
  });

  it('warns before the idle end until there is use, and an idle end is no failure', () => {
    const idle = read(
      ...start,
      'gpu-rental: Ends in 300 s, because there are no requests.',
      'gpu-rental: In use: 5 requests, 0.0 requests/s, 1200 prompt tokens, 800 output tokens, 0.0 tokens/s, 0 running, 0 waiting, last use 1560 s ago, ends in 240 s.',
    );
    assert.deepEqual([idle.isEnding, idle.idleEndInSeconds], [true, 240]);
    assert.equal(readServing(idle, `${start.at(-1)}\n`).isEnding, false);
    const ended = readServing(idle, 'gpu-rental: Ended after 30 minutes without requests.\n');
    assert.deepEqual([ended.stage, ended.failure, ended.counters], ['ended', undefined, idle.counters]);
  });

  it('of llama.cpp has its stages, and no requests', () => {
    const serving = read(
      'load_tensors: loading model tensors, this can take a while... (mmap = true)',
      'gpu-rental: Ready. Context: unknown tokens. Tool calls: no.',
      'gpu-rental: In use: 1200 prompt tokens, 800 output tokens, 4.0 tokens/s, 0 running, 0 waiting, last use 9 s ago.',
    );
    assert.deepEqual(
      [
        serving.contextTokens,
        serving.hasTools,
        serving.counters?.requests,
        serving.counters?.lastUseSecondsAgo,
      ],
      [undefined, false, undefined, 9],
    );
    assert.equal(serving.idleEndInSeconds, undefined);
    assert.equal(read('load_tensors: x', 'common_init_from_params: warming up the model').stage, 'compiling');
  });

  for (const { kind, printed, sentence } of engineFailures) {
    it(`gives the reason of an engine that ended: ${printed.at(2)?.slice(-60) ?? kind}`, () => {
      const serving = read(
        ...start.slice(0, 6),
        ...printed,
        'gpu-rental: The inference server ended with code 1.',
      );
      assert.deepEqual(
        [serving.stage, serving.failure?.kind, sentenceOf(serving)],
        ['ended', kind, sentence],
      );
      assert.equal(waysOn(serving.failure ?? { kind: 'ended' }).length > 0, kind !== 'ended');
    });
  }

  for (const [line, sentence] of [
    ['Missing on this machine: bash awk.', 'The image lacks programs that serving needs: bash awk.'],
    ['vllm is not installed on this machine.', 'The image has no vllm. Serve the model on another instance.'],
    ['Could not write to /data.', 'Could not write to /data on the instance.'],
    [
      'No space left on device: 16400000000 bytes are needed, 5000000000 are free.',
      'The disk is too small for org/tiny: 16 GB are needed, 5.0 GB are free.',
    ],
    [
      'The inference server gave no answer (400): {"error":"no chat template"}',
      'org/tiny is loaded, but gave no answer: {"error":"no chat template"}',
    ],
    ['The inference server gave no answer (none): ', 'org/tiny is loaded, but gave no answer.'],
    [
      'The inference server is not ready 60 minutes after its download.',
      'org/tiny was not ready 60 minutes after its download.',
    ],
    [
      'The inference server has not answered for 10 minutes.',
      'org/tiny did not answer for 10 minutes, so serving ended.',
    ],
    [
      'The inference server ended with code 137.',
      'The inference server of org/tiny was killed. Usually the memory of the machine is too small.',
    ],
  ] as const) {
    it(`gives a sentence for: ${line}`, () => {
      const serving = read(`gpu-rental: ${line}`);
      assert.deepEqual([serving.stage, sentenceOf(serving)], ['ended', sentence]);
    });
  }

  it('blames no complaint that a start mended, or that was over once it was ready', () => {
    const complaint = 'requests.exceptions.ConnectionError: Max retries exceeded with url';
    const end = 'gpu-rental: The inference server ended with code 3.';
    assert.equal(read(complaint, end).failure?.kind, 'network');
    assert.equal(
      read(complaint, 'gpu-rental: Starting again with a context of 4096 tokens.', end).failure?.kind,
      'ended',
    );
    assert.equal(read(complaint, start.at(-2) ?? '', end).failure?.kind, 'ended');
    assert.equal(read('gpu-rental: Starting again with a context of 4096 tokens.').contextTokens, 4096);
  });

  it('has no word of ours that an engine printed', () => {
    for (const forged of [
      ' gpu-rental: Ready. Context: 1 tokens. Tool calls: yes.',
      '\u200bgpu-rental: Ready. Context: 1 tokens. Tool calls: yes.',
      '\u001b[Kgpu-rental: Ready. Context: 1 tokens. Tool calls: yes.',
      'x\rgpu-rental: Ready. Context: 1 tokens. Tool calls: yes.',
    ]) {
      assert.equal(read(forged).stage, 'preparing');
    }
    for (const odd of [
      'In use: NaN requests',
      `Downloaded ${'9'.repeat(400)} bytes.`,
      'Ready.',
      '',
      '{0} {1}',
    ]) {
      assert.deepEqual(read(`gpu-rental: ${odd}`), { stage: 'preparing' });
    }
  });

  it('keeps names of a stranger in one plain line', () => {
    const serving = read(
      "unknown model architecture: '\u001b]8;;http://a\u0007[x](command:y) $(zap)'",
      'gpu-rental: The inference server ended with code 1.',
    );
    const sentence = sentenceOf(serving) ?? '';
    assert.doesNotMatch(sentence, /[\u0000-\u001f\u007f]|\]\(|\$\(zap\)/);
  });

  it('is read in time that grows with its length alone', () => {
    const pieces = [
      "To serve Model architectures ['".repeat(70_000),
      'Free memory on device '.repeat(100_000),
      `gpu-rental: In use: ${'1'.repeat(2_000_000)}`,
      'Access to model failed to allocate Error\n'.repeat(50_000),
      'Loading '.repeat(250_000),
      '\r'.repeat(2_000_000),
    ];
    const begin = process.cpuUsage();
    for (const piece of pieces) {
      readServing(undefined, piece);
    }
    const { user } = process.cpuUsage(begin);
    assert.ok(user < 3_000_000, `${user} µs`);
  });

  it('keeps the worst complaint of an engine', () => {
    const disk = complaintIn('OSError: [Errno 28] No space left on device', undefined);
    assert.equal(complaintIn('Connection error', disk), disk);
    assert.equal(complaintIn('401 Client Error', disk)?.kind, 'gated');
  });
});
