import { AsyncLocalStorage } from 'node:async_hooks';

export const actorKinds = ['command', 'agent', 'schedule', 'job', 'budget', 'parking', 'automatic'] as const;

/** What makes the product act: a command of the user, an agent, or something that decides by itself. */
export interface Actor {
  readonly kind: (typeof actorKinds)[number];
  /** The id of the command, or what the agent calls itself. */
  readonly name?: string | undefined;
}

interface Act {
  readonly actor: Actor;
  /** Timers and listeners that began during an act outlive it, and are not part of it. */
  isOver: boolean;
}

// Each chain of calls has its own value, and no window sees another's.
const acts = new AsyncLocalStorage<Act>();

/** Runs something as an actor. A command that an agent or a schedule runs is theirs. */
export async function actAs<T>(actor: Actor, run: () => T | PromiseLike<T>): Promise<T> {
  if (actor.kind === 'command' && (currentActor() ?? actor).kind !== 'command') {
    return run();
  }
  const act = { actor, isOver: false };
  try {
    return await acts.run(act, async () => run());
  } finally {
    act.isOver = true;
  }
}

/** Returns the actor of this chain of calls; `undefined` if it is unknown or has ended. */
export function currentActor(): Actor | undefined {
  const act = acts.getStore();
  return act === undefined || act.isOver ? undefined : act.actor;
}

/** Returns a function that runs others for the present actor, for what the editor calls back later. */
export function asCaller(): <T>(run: () => T) => T {
  return AsyncLocalStorage.snapshot();
}
