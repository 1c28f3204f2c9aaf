import { accessLevels, type AgentAccess } from './tools';

/** What agents may do and commit to at most. Money in dollars. */
export interface AgentLimits {
  readonly access: AgentAccess;
  readonly perDay: number;
  readonly perHour: number;
  readonly instances: number;
  readonly hours: number;
  readonly questionsPerHour: number;
}

export const noLimits: AgentLimits = {
  access: 'off',
  perDay: 0,
  perHour: 0,
  instances: 0,
  hours: 0,
  questionsPerHour: 0,
};

/** The smaller of each: settings are a file that an agent may edit, so they alone raise nothing. */
export function limitsInForce(set: AgentLimits, confirmed: AgentLimits): AgentLimits {
  return {
    access: rank(set) < rank(confirmed) ? set.access : confirmed.access,
    perDay: Math.min(set.perDay, confirmed.perDay),
    perHour: Math.min(set.perHour, confirmed.perHour),
    instances: Math.min(set.instances, confirmed.instances),
    hours: Math.min(set.hours, confirmed.hours),
    questionsPerHour: Math.min(set.questionsPerHour, confirmed.questionsPerHour),
  };
}

/** Whether something of it was not confirmed yet. */
export function isRaised(set: AgentLimits, confirmed: AgentLimits): boolean {
  const { access, ...numbers } = set;
  return (
    access !== 'off' &&
    (rank(set) > rank(confirmed) ||
      (access === 'ask' &&
        (Object.keys(numbers) as (keyof typeof numbers)[]).some((key) => set[key] > confirmed[key])))
  );
}

function rank({ access }: AgentLimits): number {
  return accessLevels.indexOf(access);
}
