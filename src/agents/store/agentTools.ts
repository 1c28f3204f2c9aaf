import type { Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import { toolAnswer, errorAnswer, misfitText, ToolError, type ToolAnswer } from '../model/answer';
import { ignoredMembers } from '../model/sentArguments';
import type { ToolInput, toolInputs, ToolName } from '../model/toolShapes';
import { toolRisks, toolSpecs, type AgentAccess, type ToolDescription, type ToolSpec } from '../model/tools';
import { textForModel } from './textForModel';

/** The client that calls. Its name is a claim: it is shown and kept, but grants no rights. */
export interface Caller {
  /** Identical for all calls of one session of a client. */
  readonly id: string;
  readonly name: string;
  readonly door: 'chat' | 'mcp';
}

/** One answered call, for the list of calls and the audit log. Contains no argument values. */
export interface AgentCall {
  readonly at: number;
  readonly caller: Caller;
  readonly tool: string;
  readonly isError: boolean;
  /** The state of the request if there is one, otherwise the error. */
  readonly outcome: string;
  readonly request?: string | undefined;
  readonly instance?: string | undefined;
  readonly priceUsdPerHour?: number | undefined;
}

/** The tools behind every entry point for agents. Loads nothing before the first call. */
export interface AgentTools {
  /** Returns the same list at every access level except `off`, for which it is empty. */
  list(access: AgentAccess): Promise<readonly ToolDescription[]>;
  /**
   * Never rejects: failures are answers with `isError`. Takes 50 s at most and does not wait for the user.
   */
  call(name: string, args: unknown, caller: Caller, signal: AbortSignal): Promise<ToolAnswer>;
  readonly onDidCall: Event<AgentCall>;
}

export interface ToolContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

/** The implementations of the tools; they throw `ToolError` with the next step. */
export type ToolHandlers = {
  readonly [N in ToolName]: (
    input: ToolInput<N>,
    context: ToolContext,
  ) => Promise<Readonly<Record<string, unknown>>>;
};

export interface AgentToolsDeps {
  /** The access in force: the smaller of the setting and what was confirmed. */
  readonly access: () => Promise<{ readonly access: AgentAccess; readonly asked: AgentAccess }>;
  /** Built at the first call: most users never need them. */
  readonly inputs: () => Promise<typeof toolInputs>;
  /** Created at the first call. */
  readonly handlers: () => Promise<ToolHandlers>;
  readonly redact: (text: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Limit of calls per client and minute. */
const mostCallsPerMinute = 60;

export class AgentToolRegistry implements AgentTools, Disposable {
  private readonly called = new Emitter<AgentCall>();
  private readonly recent = new Map<string, number[]>();
  readonly onDidCall = this.called.event;

  constructor(private readonly deps: AgentToolsDeps) {}

  async list(access: AgentAccess): Promise<readonly ToolDescription[]> {
    if (access === 'off') {
      return [];
    }
    const { describedTools } = await import('../model/describedTools');
    return describedTools();
  }

  async call(name: string, args: unknown, caller: Caller, signal: AbortSignal): Promise<ToolAnswer> {
    const answer = await this.answer(name, args, caller, signal).catch((error: unknown) =>
      errorAnswer(this.deps.redact(this.textOf(error))),
    );
    const { state, request, instance, priceUsdPerHour, error } = answer.structured;
    this.called.fire({
      at: this.deps.clock.now(),
      caller,
      tool: toolSpecs.some((spec) => spec.name === name) ? name : 'unknown',
      isError: answer.isError,
      outcome: textOf(error) ?? textOf(state) ?? 'done',
      request: textOf(request),
      instance: textOf(instance),
      priceUsdPerHour: typeof priceUsdPerHour === 'number' ? priceUsdPerHour : undefined,
    });
    return answer;
  }

  dispose(): void {
    this.called.dispose();
  }

  private async answer(
    name: string,
    args: unknown,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<ToolAnswer> {
    const spec = toolSpecs.find((known) => known.name === name);
    if (!spec) {
      throw new ToolError('There is no such tool. List the tools and call one of them.');
    }
    await this.checkAccess(spec);
    this.checkPace(caller);
    return toolAnswer(await this.run(spec.name, args, { caller, signal }));
  }

  private async run(
    name: ToolName,
    args: unknown,
    context: ToolContext,
  ): Promise<Readonly<Record<string, unknown>>> {
    const shape = (await this.deps.inputs())[name];
    const parsed = shape.safeParse(args);
    if (!parsed.success) {
      throw new ToolError(misfitText(parsed.error));
    }
    const ignored = ignoredMembers(args, shape.out.shape);
    const handler = (await this.deps.handlers())[name] as (
      input: unknown,
      context: ToolContext,
    ) => Promise<Readonly<Record<string, unknown>>>;
    const answer = await handler(parsed.data, context);
    return ignored.length === 0 ? answer : { ...answer, ignoredArguments: ignored };
  }

  private async checkAccess({ name }: ToolSpec): Promise<void> {
    const { access, asked } = await this.deps.access();
    if (access === 'off') {
      throw new ToolError(
        asked === 'off'
          ? 'The user has turned agents off. Ask the user to set gpuRental.agents.access to read or ask.'
          : 'The user has not confirmed the access of agents yet. Ask the user to answer the dialog in the editor, then call again.',
      );
    }
    if (access === 'read' && toolRisks[name][0] !== 'read') {
      throw new ToolError(
        'The user lets agents look only. Ask the user to set gpuRental.agents.access to ask and to confirm it in the editor.',
      );
    }
  }

  private checkPace({ door, id }: Caller): void {
    const key = `${door} ${id}`;
    const now = this.deps.clock.elapsed();
    for (const [other, times] of this.recent) {
      if ((times.at(-1) ?? 0) <= now - 60_000) {
        this.recent.delete(other);
      }
    }
    const times = (this.recent.get(key) ?? []).filter((at) => at > now - 60_000);
    if (times.length >= mostCallsPerMinute) {
      throw new ToolError('Too many calls in a minute. Wait 30 seconds before the next one.');
    }
    this.recent.set(key, [...times, now]);
  }

  private textOf(error: unknown): string {
    if (error instanceof ToolError) {
      return error.message;
    }
    if (isCancelled(error)) {
      return 'The call was canceled. Nothing more was done.';
    }
    this.deps.log.warn(`A tool of an agent failed: ${String(error)}`);
    return `${textForModel(error)} Tell the user, or try again later.`;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
