import type { SettingsReader } from './editor/settings';
import { ToolError } from './model/agents/answer';
import { AgentLimitStore } from './store/agents/agentLimits';
import { AgentToolRegistry } from './store/agents/agentTools';
import type { SecretPort } from './store/ports';
import type { Clock } from './util/clock';
import type { Disposable } from './util/disposable';
import type { Log } from './util/log';
import type { Redactor } from './util/redact';

interface AgentServicesDeps {
  readonly own: <T extends Disposable>(item: T) => T;
  readonly settings: SettingsReader;
  readonly secrets: SecretPort;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tools of agents; nothing of them runs or is read before an agent calls. */
export function agentServices({ own, settings, secrets, redactor, clock, log }: AgentServicesDeps) {
  const agentLimits = new AgentLimitStore({
    secrets,
    settings: () => ({
      access: settings.get('gpuRental.agents.access'),
      perDay: settings.get('gpuRental.agents.limitPerDay'),
      perHour: settings.get('gpuRental.agents.limitPerHour'),
      instances: settings.get('gpuRental.agents.maxInstances'),
      hours: settings.get('gpuRental.agents.maxHours'),
      questionsPerHour: settings.get('gpuRental.agents.maxQuestionsPerHour'),
    }),
  });
  const agentTools = own(
    new AgentToolRegistry({
      access: async () => {
        const { set, inForce } = await agentLimits.read();
        return { access: inForce.access, asked: set.access };
      },
      handlers: () => Promise.reject(new ToolError('This tool does not work yet.')),
      redact: (value) => redactor.redact(value),
      clock,
      log,
    }),
  );
  return { agentLimits, agentTools };
}
