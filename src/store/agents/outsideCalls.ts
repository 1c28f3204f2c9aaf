import * as z from 'zod';
import { plainLabel } from '../../util/plainLabel';
import type { AnswerAgent } from '../windows/agentDoor';
import type { AgentTools } from './agentTools';

const asked = z.object({ tool: z.string().max(100), input: z.unknown(), client: z.string().catch('') });

/** The most characters of a client's name that fit a row and a question. */
const mostOfName = 40;

/** Returns a handler that answers agents outside the editor with the tools. */
export function answerOutside(tools: Pick<AgentTools, 'call'>): AnswerAgent {
  return async (what, signal) => {
    const { data } = asked.safeParse(what);
    if (!data) {
      return { problem: 'failed' };
    }
    const name = plainLabel(data.client.slice(0, 200)).trim().slice(0, mostOfName) || 'agent';
    const caller = { id: name, name, door: 'mcp' } as const;
    const { structured, isError } = await tools.call(data.tool, data.input, caller, signal);
    return { structured, isError };
  };
}
