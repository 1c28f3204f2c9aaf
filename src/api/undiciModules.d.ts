declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici';

  const value: typeof Agent;
  export default value;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import type { ProxyAgent } from 'undici';

  const value: typeof ProxyAgent;
  export default value;
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  import type { Dispatcher } from 'undici';

  const value: typeof Dispatcher;
  export default value;
}

declare module 'undici/lib/api/index.js' {
  import type { Dispatcher } from 'undici';

  const methods: Partial<Dispatcher>;
  export default methods;
}
