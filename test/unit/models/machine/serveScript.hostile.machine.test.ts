import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { servingFailureText } from '../../../../src/models/model/servingFailure';
import { readServing } from '../../../../src/models/model/servingLog';
import { startFaults } from '../../../../src/simulator/engine/engineScene';
import { formatText } from '../../../../src/util/text';
import { engineFailures } from '../../../support/engineFailures';
import { processesIn, serveTiny, tiny, type TinyRun } from '../../../support/tinyEngine';

type Args = Parameters<typeof serveTiny>;
interface Case {
  readonly what: string;
  readonly args: Args;
  readonly code: number;
  readonly failure: string | undefined;
  readonly log?: RegExp;
  readonly check?: (run: TinyRun) => Promise<void> | void;
}

const quick = { startSeconds: 6, silentSeconds: 4 };

/** What an engine does to what watches it, and how that ends. */
const cases: readonly Case[] = [
  {
    what: 'ends at once without a word',
    args: ['process.exit(0);'],
    code: 1,
    failure: 'The inference server of org/tiny ended with code 0.',
  },
  {
    what: 'is killed',
    args: ["process.kill(process.pid, 'SIGKILL');"],
    code: 137,
    failure: 'The inference server of org/tiny was killed. Usually the memory of the machine is too small.',
  },
  {
    what: 'leaves a process in another session behind that listens',
    args: [
      `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'require("node:http").createServer((q, s) => s.end()).listen(' + option('--port') + ')'], { detached: true, stdio: 'ignore' });
      child.unref();
      setTimeout(() => process.exit(0), 500);`,
    ],
    code: 1,
    failure: 'The inference server of org/tiny ended with code 0.',
  },
  {
    what: 'never listens',
    args: ['setInterval(() => {}, 1000);', {}, quick],
    code: 1,
    failure: 'org/tiny was not ready 0 minutes after its download.',
  },
  {
    what: 'ignores the request to end',
    args: ["process.on('SIGTERM', () => print('no')); setInterval(() => {}, 1000);", {}, quick],
    code: 1,
    failure: 'org/tiny was not ready 0 minutes after its download.',
    log: /^no$/m,
  },
  {
    what: 'is never healthy',
    args: ["serve({ '/health': (req, res) => end(res, 503, 'Loading model') });", {}, quick],
    code: 1,
    failure: 'org/tiny was not ready 0 minutes after its download.',
  },
  {
    what: 'answers everything with a page',
    args: [
      "const page = (req, res) => end(res, 200, '<html>' + 'x'.repeat(5e6) + '</html>', 'text/html'); serve({ '/health': page, '/v1/chat/completions': page, '/metrics': page });",
    ],
    code: 1,
    failure: `org/tiny is loaded, but gave no answer: <html>${'x'.repeat(294)}`,
  },
  {
    what: 'refuses to answer',
    args: [
      "serve({ '/v1/chat/completions': (req, res) => end(res, 400, { error: { message: 'no\\nchat \\u001b[31mtemplate' } }) });",
    ],
    code: 1,
    failure: 'org/tiny is loaded, but gave no answer: {"error":{"message":"no\\nchat \\u001b[31mtemplate"}}',
  },
  {
    what: 'answers with its key',
    args: ["serve({ '/v1/chat/completions': (req, res) => end(res, 400, 'x'.repeat(280) + key) });"],
    code: 1,
    failure: `org/tiny is loaded, but gave no answer: ${'x'.repeat(280)}…`,
  },
  {
    what: 'is the one of the simulator that prints its key',
    args: [{ fault: 'printsKey' }, { idleMinutes: 0.05 }],
    code: 0,
    failure: undefined,
    log: /^using the key …\n\{"Authorization": "Bearer …"\}$/m,
  },
  {
    what: 'is the one of the simulator that prints anything',
    args: [{ fault: 'hostileLog' }, { idleMinutes: 0.05 }],
    code: 0,
    failure: undefined,
    log: /^ gpu-rental: ready context=[^]*^gpu-rental: Ready\. Context: 32768 tokens/m,
  },
  {
    what: 'speaks no HTTP',
    args: [
      "require('node:net').createServer((s) => s.end('\\0\\0garbage\\n'.repeat(1000))).listen(Number(option('--port')), '127.0.0.1');",
      {},
      quick,
    ],
    code: 1,
    failure: 'org/tiny was not ready 0 minutes after its download.',
  },
  {
    what: 'counts in what is no number',
    args: [
      `serve({ '/metrics': (req, res) => end(res, 200, 'vllm:num_requests_running NaN\\nvllm:generation_tokens_total 1e999\\nvllm:prompt_tokens_total $(touch x)\\n', 'text/plain') });`,
      {},
      quick,
    ],
    code: 1,
    failure: 'org/tiny did not answer for 0 minutes, so serving ended.',
  },
  {
    what: 'drips its counters',
    args: [
      "serve({ '/metrics': (req, res) => { res.writeHead(200); setInterval(() => res.write('vllm:'), 200); } });",
      {},
      quick,
    ],
    code: 1,
    failure: 'org/tiny did not answer for 0 minutes, so serving ended.',
  },
  {
    what: 'streams its counters without an end',
    args: [
      "serve({ '/metrics': (req, res) => { const more = () => { while (res.write('vllm:x 1\\n'.repeat(1e4))); }; res.on('drain', more); more(); } });",
      {},
      quick,
    ],
    code: 1,
    failure: 'org/tiny did not answer for 0 minutes, so serving ended.',
  },
  {
    what: 'stops answering once it is ready',
    args: [
      "const server = serve({ '/metrics': (req, res) => { if (counters.asked) return; counters.asked = true; usual['/metrics'](req, res); } });",
      {},
      quick,
    ],
    code: 1,
    failure: 'org/tiny did not answer for 0 minutes, so serving ended.',
    log: /In use: 1 requests/,
  },
  {
    what: 'counts backward, which is no use',
    args: [
      "serve({ '/metrics': (req, res) => { counters.prompt = Math.max(0, (counters.prompt || 50) - 1); counters.output = counters.requests = 0; usual['/metrics'](req, res); } });",
      { idleMinutes: 0.07 },
    ],
    code: 0,
    failure: undefined,
    log: /0\.0 requests\/s, \d+ prompt tokens, 0 output tokens, 0\.0 tokens\/s/,
  },
  {
    what: 'answers for as long as it likes, which is use',
    args: [
      'counters.running = 1; setTimeout(() => (counters.running = 0), 7000); serve();',
      { idleMinutes: 0.05 },
    ],
    code: 0,
    failure: undefined,
    log: /1 running, 0 waiting, last use 0 s ago, ends in 3 s\.\n(?:.*1 running.*\n){3}/,
  },
  {
    what: 'can call no tool',
    args: [
      "const chat = usual['/v1/chat/completions']; serve({ '/v1/chat/completions': (req, res, body) => chat(req, res, { ...body, tools: undefined }) });",
      { toolParser: 'hermes', idleMinutes: 0.05 },
    ],
    code: 0,
    failure: undefined,
    log: /Tool calls: no\./,
  },
  {
    what: 'needs a template for tools that the image lacks',
    args: ['serve();', { toolParser: 'gemma4', idleMinutes: 0.05 }],
    code: 0,
    failure: undefined,
    log: /Tool calls: no\./,
    check: (run) => assert.ok(!run.starts()[0]?.args.includes('--tool-call-parser')),
  },
  {
    what: 'prints a line of 200 MB, and what could pass for our words',
    args: [
      `
      process.stdout.write('before\\n');
      let left = 3200;
      const more = () => {
        while (left-- > 0) if (!process.stdout.write('x'.repeat(65536))) return process.stdout.once('drain', more);
        print('', 'filler'.repeat(20000), 'after');
        print('gpu-rental: Ready. Context: 1 tokens. Tool calls: yes.', '\\u001b[31mred\\u0007');
        serve();
      };
      more();`,
      { idleMinutes: 0.05 },
    ],
    code: 0,
    failure: undefined,
    log: /^before\nx{15000}\n[^]*^after\n gpu-rental: Ready\. Context: 1 tokens/m,
    check: (run) => assert.ok(run.log().length < 200_000, `${run.log().length} bytes`),
  },
];

/** The sentence after each failure of the stand-in: as vLLM, and as llama.cpp where that differs. */
const standIn: Readonly<Record<string, readonly [vllm: string, llama?: string | null]>> = {
  noMemory: ['org/tiny does not fit: the GPU has no memory left.'],
  outOfMemory: ['org/tiny does not fit: the GPU has no memory left.'],
  gpuInUse: ['Another process uses the GPU, so org/tiny does not fit.', null],
  unknownArchitecture: [
    "The inference server can't run org/tiny: it does not know the architecture MysteryForCausalLM.",
    "The inference server can't run org/tiny: it does not know the architecture mystery.",
  ],
  gated: ['org/tiny is gated. Accept its license at the hub, and set a token of your account there.'],
  noRepository: ['The hub has no model org/tiny, or it is private.'],
  fullDisk: ['The disk is too small for org/tiny.'],
  oldDriver: ['The GPU or the driver of the host is too old for org/tiny.'],
  noKernel: ['The GPU or the driver of the host is too old for org/tiny.'],
  noHub: ['The host could not reach the hub to download org/tiny.'],
  brokenFile: ['The inference server could not read the files of org/tiny.'],
  silentDownload: ['org/tiny was not ready 0 minutes after its download.'],
};

describe('an engine that misbehaves', () => {
  const ended = new Map<string, { readonly run: TinyRun; readonly code: number | null }>();
  const failures = engineFailures.map(({ kind, printed, sentence, isLlama }): Case => {
    const engine = isLlama ? 'llamaCpp' : 'vllm';
    return {
      what: `fails (${kind}): ${printed.at(2)?.slice(-60) ?? printed[0]}`,
      // The last start has no other context or number of answers that it could try.
      args: [`print(...${JSON.stringify(printed)}); process.exitCode = 1;`, { engine }],
      code: 1,
      failure: sentence,
    };
  });
  const played = startFaults.flatMap((fault) =>
    (['vllm', 'llamaCpp'] as const).flatMap((engine): readonly Case[] => {
      const [vllm, llama = vllm] = standIn[fault] ?? [];
      const failure = engine === 'vllm' ? vllm : llama;
      return failure == null
        ? []
        : [
            {
              what: `is the ${engine} of the simulator with ${fault}`,
              args: [{ fault }, { engine }, quick],
              code: 1,
              failure,
            },
          ];
    }),
  );
  const mended = (['contextTooLong', 'fewCacheBlocks'] as const).map((fault): Case => ({
    what: `is mended by a second start of the simulator with ${fault}`,
    args: [{ fault }, { contextTokens: 40_000, idleMinutes: 0.05, toolParser: 'hermes' }],
    code: 0,
    failure: undefined,
    log: /Starting again with [^]*Ready\. Context: (?:16384|40000) tokens\. Tool calls: yes\./,
  }));
  const all = [...cases, ...failures, ...played, ...mended];

  before(async function () {
    this.timeout(300_000);
    // They mostly wait, so six of them run at a time.
    const left = [...all];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let next = left.shift(); next; next = left.shift()) {
          const run = await serveTiny(...next.args);
          const code = await run.code;
          ended.set(next.what, { run, code });
        }
      }),
    );
  });
  after(async () => {
    await Promise.all([...ended.values()].map(({ run }) => run.close()));
  });

  for (const { what, code, failure, log, check } of all) {
    it(`harms nothing if it ${what}`, async () => {
      const one = ended.get(what);
      assert.ok(one);
      const { run } = one;
      const serving = readServing(undefined, run.log());
      const sentence = serving.failure && formatText(servingFailureText(serving.failure, tiny));
      assert.deepEqual([one.code, serving.stage, sentence], [code, 'ended', failure], run.log().slice(-2000));
      assert.match(run.log(), log ?? /^gpu-rental: Starting /);
      assert.ok(!existsSync(run.file('key')));
      // What left its session is ended by the runner of the job, which finds it by its environment.
      const left = processesIn(run.home);
      assert.equal(left.length > 0, what.includes('another session'), `${left.length} processes are left`);
      await check?.(run);
    });
  }
});
