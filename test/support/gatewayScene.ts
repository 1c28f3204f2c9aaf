import { GatewayServer } from '../../src/models/machine/gatewayServer';
import type { EngineAddress, GatewayModel } from '../../src/models/model/engineAddress';
import { engineKey } from './engineStandIn';

/** A gateway to one model, with what its clients send. */
export interface GatewayScene {
  readonly gateway: GatewayServer;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly models: GatewayModel[];
  /** Engines that refused their own key. */
  readonly refused: EngineAddress[];
}

/** Gateways that end with the test; `to` leads to an engine on a port of this computer. */
export function useGateways(): {
  start(): Promise<GatewayScene>;
  to(port: number, patienceMs?: number): Promise<GatewayScene>;
} {
  const open: GatewayServer[] = [];
  afterEach(() => {
    open.splice(0).forEach((gateway) => gateway.dispose());
  });
  const to = async (port: number, patienceMs?: number): Promise<GatewayScene> => {
    const key = 'gr-key-of-the-gateway';
    const engine: EngineAddress = { place: { host: '127.0.0.1', port }, key: engineKey };
    const models: GatewayModel[] = [
      { name: 'qwen', repository: 'Qwen/Qwen3-8B', contextTokens: 32_768, engine, why: '' },
    ];
    const refused: EngineAddress[] = [];
    const gateway = await GatewayServer.listen(
      {
        key: () => key,
        models: () => models,
        onRefused: (one) => refused.push(one),
        ...(patienceMs === undefined ? {} : { patienceMs }),
      },
      0,
    );
    open.push(gateway);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return { gateway, key, headers, models, refused };
  };
  return { to, start: () => to(9) };
}
