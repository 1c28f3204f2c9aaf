import type { Agent, ProxyAgent } from 'undici';

/** What the transport uses of undici. */
export interface UndiciParts {
  readonly Agent: typeof Agent;
  readonly ProxyAgent: typeof ProxyAgent;
}

/**
 * Loads them at the first request. The entry point of undici has everything else, too (fetch, WebSocket,
 * cache, mocks), which would be a tenth of the package. Like it, this adds the request methods to dispatchers.
 */
export async function loadUndici(): Promise<UndiciParts> {
  const [methods, dispatcher, agent, proxyAgent] = await Promise.all([
    import('undici/lib/api/index.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/dispatcher/agent.js'),
    import('undici/lib/dispatcher/proxy-agent.js'),
  ]);
  Object.assign(dispatcher.default.prototype, methods.default);
  return { Agent: agent.default, ProxyAgent: proxyAgent.default };
}
