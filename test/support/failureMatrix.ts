import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import {
  ForbiddenError,
  GoneError,
  NotFoundError,
  NotReachableError,
  NotUnderstoodError,
  RateLimitedError,
  RefusedError,
  ServiceFailedError,
  TimedOutError,
  UnauthorizedError,
} from '../../src/api/errors';
import type { CallOptions } from '../../src/api/http';
import type { FaultOrder } from '../../src/simulator/faults';
import { CancelledError, UserError, type NextStep } from '../../src/util/errors';
import { useClients } from './apiClient';
import { FakeClock } from './fakeClock';
import { fakeTimeoutMs, runOutOfTime } from './outOfTime';
import { useSimulators, type TestSimulator, type TestSimulatorOptions } from './startSimulator';
import { until } from './until';

type ErrorClass = abstract new (...args: never[]) => Error;

/** What the user gets, and how often the service was asked for it. */
export interface Expected {
  readonly error: ErrorClass;
  /** Part of the English sentence. */
  readonly message: RegExp;
  readonly nextStep?: NextStep;
  readonly asked: number;
}

/** A value instead of an error, where the call knows what the failure means. */
export interface ExpectedValue {
  readonly value: unknown;
  readonly asked?: number;
}
export interface ExpectedCheck {
  readonly check: (result: unknown) => void;
  readonly asked: number;
}

const failureNames = [
  '401',
  'auth_error with 404',
  '403',
  '404',
  '410',
  '429 with a detail, for ever',
  '429 as plain text, for ever',
  '500 with a page of HTML',
  'cut-off JSON',
  'wrong types',
  'a lost connection before the request took effect',
  'a lost connection after the request took effect',
  'no answer in time',
  'cancellation',
] as const;
export type FailureName = (typeof failureNames)[number];

/** A documented refusal of one operation. */
export interface Refusal {
  readonly status: number;
  readonly code?: string;
  readonly msg?: string;
  readonly error: ErrorClass;
  readonly message: RegExp;
  readonly nextStep: NextStep;
}

export interface MatrixOperation {
  /** As in the client: `instances.stop`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As the simulator's fault orders want it: `/api/v0/instances/{id}/`. */
  readonly path: string;
  /** Reads are asked three times, writes once. */
  readonly repeat: 'read' | 'write';
  readonly simulator?: TestSimulatorOptions;
  /** Brings the market into a state in which `call` succeeds. */
  readonly prepare?: (simulator: TestSimulator, client: Client) => Promise<number>;
  /** `subject` is what `prepare` gave, else 0. */
  readonly call: (client: Client, subject: number, options: CallOptions) => Promise<unknown>;
  /** Checks the value of a success, and the request on the wire. */
  readonly succeeds: (result: unknown, simulator: TestSimulator, subject: number) => void;
  readonly refusals?: readonly Refusal[];
  /** Where this operation differs from the rest. */
  readonly differs?: Readonly<Partial<Record<FailureName, Expected | ExpectedValue | ExpectedCheck>>>;
}

const patient = 4;

function usual(operation: MatrixOperation): Readonly<Record<FailureName, Expected>> {
  const tries = operation.repeat === 'read' ? 3 : 1;
  // What a write did that got no answer is not known, and its sentence says so.
  const message = (what: string) =>
    new RegExp(operation.repeat === 'read' ? what : `${what}.*, so the request may have`);
  const lost: Expected = {
    error: NotReachableError,
    message: message('connection .* was lost'),
    nextStep: 'retry',
    asked: tries,
  };
  const limited: Expected = {
    error: RateLimitedError,
    message: /refuses more requests/,
    nextStep: 'retry',
    asked: patient,
  };
  const key: Expected = {
    error: UnauthorizedError,
    message: /did not accept the API key/,
    nextStep: 'replaceKey',
    asked: 1,
  };
  return {
    '401': key,
    'auth_error with 404': key,
    '403': { error: ForbiddenError, message: /not allowed/, nextStep: 'replaceKey', asked: 1 },
    '404': { error: NotFoundError, message: /does not know/, nextStep: 'retry', asked: 1 },
    '410': { error: GoneError, message: /no longer available/, nextStep: 'retry', asked: 1 },
    '429 with a detail, for ever': limited,
    '429 as plain text, for ever': limited,
    '500 with a page of HTML': {
      error: ServiceFailedError,
      message: message('problem of its own'),
      nextStep: 'retry',
      asked: tries,
    },
    'cut-off JSON': {
      error: NotUnderstoodError,
      message: message('could not be understood'),
      nextStep: 'showLog',
      asked: tries,
    },
    'wrong types': {
      error: NotUnderstoodError,
      message: message('could not be understood'),
      nextStep: 'showLog',
      asked: 1,
    },
    'a lost connection before the request took effect': lost,
    'a lost connection after the request took effect': lost,
    'no answer in time': {
      error: TimedOutError,
      message: message('did not answer in time'),
      nextStep: 'retry',
      asked: tries,
    },
    cancellation: { error: CancelledError, message: /Cancelled/, asked: 1 },
  };
}

const faults: Readonly<Record<FailureName, Omit<FaultOrder, 'path' | 'method'>>> = {
  '401': { kind: 'error', status: 401, msg: 'Unauthorized' },
  'auth_error with 404': { kind: 'error', status: 404, error: 'auth_error', msg: 'Invalid user key' },
  '403': { kind: 'error', status: 403, msg: 'Forbidden' },
  '404': { kind: 'error', status: 404, msg: 'Nothing here' },
  '410': { kind: 'error', status: 410, msg: 'Withdrawn' },
  '429 with a detail, for ever': { kind: 'rateLimit', threshold: 0.01 },
  '429 as plain text, for ever': { kind: 'rateLimitText' },
  '500 with a page of HTML': { kind: 'html500' },
  'cut-off JSON': { kind: 'cutOff' },
  'wrong types': { kind: 'wrongTypes' },
  'a lost connection before the request took effect': { kind: 'dropBefore' },
  'a lost connection after the request took effect': { kind: 'dropAfter' },
  'no answer in time': { kind: 'stall' },
  cancellation: { kind: 'stall' },
};

/**
 * The same questions for every operation: does it succeed, and what does the user hear, and how
 * often was the service asked, for each way in which a call can go wrong.
 */
export function describeFailures(operation: MatrixOperation): void {
  describe(operation.name, () => {
    const simulators = useSimulators();
    const clients = useClients();

    const setUp = async (clock?: FakeClock) => {
      const simulator = await simulators.start(operation.simulator);
      const subject = (await operation.prepare?.(simulator, clients.connect(simulator).client)) ?? 0;
      const policy = { rateAttempts: patient, ...(clock && { timeoutMs: fakeTimeoutMs }) };
      const { client } = clients.connect(simulator, { policy, ...(clock && { clock }) });
      const since = simulator.requests().at(-1)?.seq ?? 0;
      const asked = () =>
        simulator.requests(since).filter((request) => fits(operation, request.method, request.path)).length;
      const call = (options: CallOptions = {}) => operation.call(client, subject, options);
      const order = (fault: Omit<FaultOrder, 'path' | 'method'>) =>
        simulator.fail({ times: 0, ...fault, method: operation.method, path: operation.path });
      return { simulator, subject, asked, call, order };
    };

    it('succeeds', async () => {
      const { simulator, subject, asked, call } = await setUp();
      operation.succeeds(await call(), simulator, subject);
      assert.equal(asked(), 1);
    });

    for (const fault of ['rateLimit', 'rateLimitText'] as const) {
      it(`is sent again after one ${fault} refusal and shows the wait`, async () => {
        const clock = new FakeClock();
        const { simulator, subject, asked, call, order } = await setUp(clock);
        order({ kind: fault, times: 1, threshold: 0.05 });
        const waits: number[] = [];
        const running = call({ onWait: (ms) => waits.push(ms) });
        operation.succeeds(await clock.through(running, 2), simulator, subject);
        assert.equal(asked(), 2);
        assert.equal(waits.length, 1);
      });
    }

    for (const name of failureNames) {
      const expected = operation.differs?.[name] ?? usual(operation)[name];
      it(`${name}: ${'error' in expected ? expected.error.name : 'is understood'}`, async () => {
        const clock = name === 'no answer in time' ? new FakeClock() : undefined;
        const { asked, call, order } = await setUp(clock);
        order(faults[name]);
        const controller = new AbortController();
        const running = call({ signal: controller.signal });
        if (name === 'cancellation') {
          running.catch(() => undefined);
          await until('the request', () => asked() === 1, { everyMs: 5 });
          controller.abort();
        }
        if (clock) {
          await runOutOfTime(clock, running, asked);
        }
        if ('error' in expected) {
          await assertFails(running, expected);
        } else if ('check' in expected) {
          expected.check(await running);
        } else {
          assert.deepEqual(await running, expected.value);
        }
        if (expected.asked !== undefined) {
          assert.equal(asked(), expected.asked, 'how often the service was asked');
        }
      });
    }

    for (const refusal of operation.refusals ?? []) {
      it(`${refusal.status} ${refusal.code ?? 'without a code'}: ${refusal.error.name}`, async () => {
        const { asked, call, order } = await setUp();
        order({
          kind: 'error',
          status: refusal.status,
          ...(refusal.code === undefined ? {} : { error: refusal.code }),
          ...(refusal.msg === undefined ? {} : { msg: refusal.msg }),
        });
        await assertFails(call(), refusal);
        assert.equal(asked(), 1);
      });
    }
  });
}

async function assertFails(
  call: Promise<unknown>,
  expected: { readonly error: ErrorClass; readonly message: RegExp; readonly nextStep?: NextStep },
): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof Error);
    assert.ok(error instanceof expected.error, `${error.name}: ${error.message}`);
    assert.match(error.message, expected.message);
    if (expected.nextStep !== undefined) {
      assert.ok(error instanceof UserError);
      assert.equal(error.nextStep, expected.nextStep);
    }
    return true;
  });
}

/** For `refusals` that only say "no": the class, with the code's own sentence. */
export function refused(status: number, code: string, message: RegExp, nextStep: NextStep = 'none'): Refusal {
  return { status, code, error: RefusedError, message, nextStep };
}

function fits(operation: MatrixOperation, method: string, path: string): boolean {
  const wanted = operation.path.split('/').filter((part) => part !== '');
  const actual = path.split('/').filter((part) => part !== '');
  return (
    operation.method === method &&
    wanted.length === actual.length &&
    wanted.every((part, index) => part.startsWith('{') || part === actual[index])
  );
}
