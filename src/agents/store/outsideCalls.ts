import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { AnswerAgent } from '../../store/windows/agentDoor';
import { claimedName } from '../model/claimedName';
import type { AgentTools } from './agentTools';
import { nextMark, watching, type ResourceMarksDeps } from './resourceMarks';

const asked = z.object({
  tool: z.string().max(100),
  input: z.unknown(),
  client: z.string().catch(''),
  session: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional()
    .catch(undefined),
});

/** Returns a handler that answers agents outside the editor with the tools, and with changes of the resources. */
export function answerOutside(tools: Pick<AgentTools, 'call'>, resources: ResourceMarksDeps): AnswerAgent {
  return async (what, signal) => {
    const watched = watching.safeParse(what);
    if (watched.success) {
      return nextMark(resources, watched.data.since, signal);
    }
    const { data } = asked.safeParse(what);
    if (!data) {
      return { problem: 'failed' };
    }
    const name = claimedName(data.client);
    // The name is a claim, so a user's yes holds for the session. A call without one is a session of its own.
    const id = data.session ?? randomBytes(16).toString('hex');
    const caller = { id, name, door: 'mcp' } as const;
    const { structured, isError } = await tools.call(data.tool, data.input, caller, signal);
    return { structured, isError };
  };
}
