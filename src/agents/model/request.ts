import * as z from 'zod';
import { micros } from '../../model/money';
import type { Offer } from '../../model/offers/offer';
import type { Schedule } from '../../schedules/model/schedule';

const then = z.enum(['stop', 'destroy']);
const offerShape = z.custom<Offer>(
  (value) => typeof value === 'object' && value !== null && typeof Reflect.get(value, 'id') === 'number',
);

/** A price for one rental, bound to account, offer and time. */
const quoteShape = z
  .object({
    id: z.string(),
    accountKey: z.string(),
    at: z.number(),
    expiresAt: z.number(),
    offer: offerShape,
    templateId: z.number().exactOptional(),
    /** Changes with each edit of the template. */
    templateHash: z.string().exactOptional(),
    image: z.string().exactOptional(),
    /** What is installed, for the question. */
    what: z.string(),
    /** The author of the template chose its name, so the question shows more about it. */
    template: z
      .object({
        image: z.string(),
        /** Neither the user nor the service answers for it. */
        isOfStranger: z.boolean(),
        hasStartScript: z.boolean(),
      })
      .readonly()
      .exactOptional(),
    diskGb: z.number(),
    hours: z.number(),
    then,
    label: z.string().exactOptional(),
    perHour: micros,
    stoppedPerHour: micros,
    /** The service states no price of the disk, so the whole cost of the running instance is counted. */
    isDiskUnpriced: z.literal(true).exactOptional(),
    /** For all of the hours. */
    total: micros,
  })
  .readonly();
export type RentalQuote = z.infer<typeof quoteShape>;

/** Money that a yes commits to: so much an hour from one time to another. */
const commitmentShape = z
  .object({
    perHour: micros,
    /** What a disk costs once it is stopped; 0 where it is destroyed. */
    stoppedPerHour: micros,
    from: z.number(),
    until: z.number(),
    /** The instance was seen to have ended at `until`, which a clock that is set back does not change. */
    isEnded: z.literal(true).exactOptional(),
  })
  .readonly();
export type Commitment = z.infer<typeof commitmentShape>;

export const requestStates = z.enum([
  'pending',
  'declined',
  'expired',
  'overLimit',
  'renting',
  'unknown',
  'rented',
  'notRented',
  'approved',
  'working',
  'done',
  'failed',
]);

/** A job of a folder, as it was when the agent planned it. */
const jobShape = z
  .object({
    /** What the agent asks about it with, once. */
    plan: z.string(),
    folder: z.string(),
    name: z.string(),
    /** Identifies its text, its machine in the file and the files that it sends. */
    print: z.string(),
  })
  .readonly();

const requestShape = z
  .object({
    /** What the caller asks after. */
    id: z.string(),
    /** What the caller named it, the same in each retry. */
    requestId: z.string(),
    tool: z.enum([
      'request_rental',
      'run_command',
      'set_schedule',
      'change_state',
      'destroy_instance',
      'run_job',
      'stop_job',
      'extend_job',
    ]),
    /** Identifies the arguments. */
    print: z.string(),
    caller: z.object({ id: z.string(), name: z.string(), door: z.enum(['chat', 'mcp']) }).readonly(),
    /** The words of the model, for the question. */
    reason: z.string().exactOptional(),
    at: z.number(),
    state: requestStates,
    problem: z.string().exactOptional(),
    /** The window in which the user agreed, which carries it out, and since when. */
    windowId: z.string().exactOptional(),
    decidedAt: z.number().exactOptional(),
    /** Of its rental in the journal; there before anything is sent. */
    marker: z.string().exactOptional(),
    instanceId: z.number().exactOptional(),
    quote: quoteShape.exactOptional(),
    commitment: commitmentShape.exactOptional(),
    to: z.enum(['stopped', 'running']).exactOptional(),
    endsAt: z.number().exactOptional(),
    then: then.exactOptional(),
    /** The schedule before a start, which applies again if the start did not happen. */
    scheduleBefore: z
      .custom<Schedule>((value) => typeof value === 'object' && value !== null)
      .exactOptional(),
    job: jobShape.exactOptional(),
    /** Of a job that is stopped or extended. */
    jobId: z.string().exactOptional(),
    /** Its limits once it is extended. */
    jobLimits: z.object({ hours: z.number(), costDollars: z.number() }).readonly().exactOptional(),
    command: z.string().exactOptional(),
    /** A command that goes on as a job for at most this long. */
    minutes: z.number().exactOptional(),
    exitCode: z.number().nullable().exactOptional(),
  })
  .readonly();
export type AgentRequest = z.infer<typeof requestShape>;
export type RequestState = AgentRequest['state'];

export const agentStateShape = z
  .object({ quotes: z.array(quoteShape).readonly(), requests: z.array(requestShape).readonly() })
  .readonly();
/** What is kept of the agents of an account. */
export type AgentState = z.infer<typeof agentStateShape>;

export const noAgentState: AgentState = { quotes: [], requests: [] };

/** States after a yes in which the commitment counts. */
const committing: readonly RequestState[] = ['renting', 'unknown', 'rented', 'approved', 'working', 'done'];

const open: readonly RequestState[] = ['pending', 'renting', 'unknown', 'approved', 'working'];

/** Returns whether a request has its final outcome. */
export function hasOutcome({ state }: AgentRequest): boolean {
  return !open.includes(state);
}

export function isCommitted({ state }: AgentRequest): boolean {
  return committing.includes(state);
}

/** Returns whether the user agreed to a request, with any outcome. */
export function hasYes({ windowId }: AgentRequest): boolean {
  return windowId !== undefined;
}

/** Returns whether a request is for a rental, which may be one for a job. */
export function isForRental({ tool, quote }: Pick<AgentRequest, 'tool' | 'quote'>): boolean {
  return tool === 'request_rental' || quote !== undefined;
}

/** Whether an agent rented the instance. */
export function rentedByAgent({ requests }: AgentState, instanceId: number): AgentRequest | undefined {
  return requests.find((one) => isForRental(one) && one.instanceId === instanceId);
}

/** The instances that agents rented, with the name of each agent. */
export function agentRentals({ requests }: AgentState): ReadonlyMap<number, string> {
  return new Map(
    requests
      .filter(isForRental)
      .flatMap(({ instanceId, caller }) =>
        instanceId === undefined ? [] : [[instanceId, caller.name] as const],
      ),
  );
}

/** The label of its instance, by which a rental is found again. */
export function rentalLabel({ id, quote }: AgentRequest): string {
  return `${quote?.label ?? 'agent'} ${id.slice(-8)}`;
}
