import type { Machine } from '../market/machines';
import type { Market } from '../market/market';
import { round, SeededRandom } from '../random';
import { callerOf, ok, route, ServiceError, type Route } from '../route';
import type { World } from '../world';

const reads = { permission: 'machine_read', endpoint: 'api.metrics.gpu', everySeconds: 3 } as const;

/** GET metrics/gpu/current (docs/service/market.md#query). */
export function metricsRoutes(world: World, market: Market): Route[] {
  return [
    route('GET /api/v0/metrics/gpu/current/', reads, (request) => {
      const { query } = request;
      const wanted = {
        verified: choice(query.get('verified') ?? 'yes', 'verified', ['yes', 'no', 'all']),
        hosting: choice(query.get('hosting_type') ?? 'all', 'hosting_type', [
          'all',
          'secure_cloud',
          'community',
        ]),
        gpus: gpuBucket(query.get('num_gpus') ?? 'all'),
      };
      if (world.account(callerOf(request).accountId).hostId === undefined) {
        return ok({ success: true, gpus: [], needs_machine: true });
      }
      const machines = market.machines.filter(
        (machine) =>
          (wanted.verified === 'all' || isVerified(machine) === (wanted.verified === 'yes')) &&
          (wanted.hosting === 'all' || machine.datacenter === (wanted.hosting === 'secure_cloud')) &&
          (wanted.gpus === undefined || machine.gpus === wanted.gpus),
      );
      return ok({ success: true, gpus: rows(world, market, machines) });
    }),
  ];
}

function choice(value: string, name: string, allowed: readonly string[]): string {
  if (!allowed.includes(value)) {
    throw new ServiceError(400, 'invalid_args', `${name} must be one of ${allowed.join(', ')}.`);
  }
  return value;
}

function gpuBucket(value: string): number | undefined {
  if (value === 'all') {
    return undefined;
  }
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1) {
    throw new ServiceError(400, 'invalid_args', 'num_gpus must be a number of GPUs or all.');
  }
  return count;
}

function isVerified(machine: Machine): boolean {
  return machine.verification === 'verified';
}

function rows(world: World, market: Market, machines: readonly Machine[]): Record<string, unknown>[] {
  const byModel = new Map<string, Machine[]>();
  for (const machine of machines) {
    byModel.set(machine.model.name, [...(byModel.get(machine.model.name) ?? []), machine]);
  }
  return [...byModel.entries()]
    .map(([name, group]) => row(world, market, name, group))
    .sort((a, b) => Number(b['total']) - Number(a['total']));
}

function row(world: World, market: Market, name: string, group: readonly Machine[]): Record<string, unknown> {
  const free = (machine: Machine) => Math.max(0, market.freeGpus(machine));
  const sum = (machines: readonly Machine[], count: (machine: Machine) => number) =>
    machines.reduce((total, machine) => total + count(machine), 0);
  const verified = group.filter(isVerified);
  const others = group.filter((machine) => !isVerified(machine));
  const total = sum(group, (machine) => machine.gpus);
  const available = sum(group, free);
  const usage = total === 0 ? 0 : (100 * (total - available)) / total;
  const prices = group
    .flatMap((machine) => Array<number>(machine.gpus - free(machine)).fill(market.pricePerGpu(machine)))
    .sort((a, b) => a - b);
  const median = quantile(prices, 0.5);
  const { dlperf, tflops } = group[0]?.model ?? { dlperf: 0, tflops: 0 };
  const wobble = new SeededRandom(world.seed + name.length * 131).between(-6, 6);
  return {
    gpu_name: name,
    total,
    available,
    rented_verified: sum(verified, (machine) => machine.gpus - free(machine)),
    avail_verified: sum(verified, free),
    rented_unverified: sum(others, (machine) => machine.gpus - free(machine)),
    avail_unverified: sum(others, free),
    usage: round(usage, 1),
    usage_30d: round(Math.min(100, Math.max(0, usage + wobble)), 1),
    dlperf,
    tflops,
    price_p10: quantile(prices, 0.1),
    price_p25: quantile(prices, 0.25),
    price_median: median,
    price_p75: quantile(prices, 0.75),
    price_p90: quantile(prices, 0.9),
    tflops_per_dollar: median === null ? null : round(tflops / median, 1),
    dlperf_per_dollar: median === null ? null : round(dlperf / median, 1),
  };
}

/**
 * Interpolates between neighbours of sorted prices; null when nothing is rented
 * (docs/service/market.md#record).
 */
function quantile(sorted: readonly number[], share: number): number | null {
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)];
  const high = sorted[Math.ceil(place)];
  return low === undefined || high === undefined ? null : round(low + (high - low) * (place % 1), 4);
}
