/** How often a route may be called with one key. */
export interface RouteLimit {
  /** Least time between two calls. */
  readonly intervalMs?: number;
  /** At most so many calls in any span of this length. */
  readonly perPeriod?: { readonly calls: number; readonly periodMs: number };
}
export type LimitTable = Readonly<Record<string, RouteLimit>>;

const seconds = (interval: number): RouteLimit => ({ intervalMs: interval * 1000 });

/**
 * All reads of an account together: the service also counts by address, for all routes. Our own measure: enough for
 * a window that shows every view, and eight windows that open at once do not send a hundred requests in a second.
 */
export const allReads = 'all reads';

/**
 * Limits by method and path pattern. "i" marks those of the interface description
 * (docs/service/limits.md#request-rates).
 */
export const documentedLimits: LimitTable = {
  [allReads]: { perPeriod: { calls: 30, periodMs: 10_000 } },
  'PUT /api/v0/machines/{machine_id}/dnotify': seconds(2.5), // i
  'POST /api/v0/auth/apikeys/': seconds(2), // i
  'PUT /api/v0/instances/command/{id}/': seconds(1.5), // i
  'DELETE /api/v0/secrets/': seconds(3), // i
  'PUT /api/v0/machines/{machine_id}/minbid/': seconds(1.5), // i
  'GET /api/v0/users/{user_id}/machine-earnings/': seconds(2), // i
  'POST /api/v0/deployment/{id}/stop/': seconds(2), // i
  'GET /api/v0/metrics/gpu/current/': seconds(3), // i
  'DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/': seconds(2), // i
  'POST /api/v0/bundles/': { perPeriod: { calls: 10, periodMs: 60_000 } },
  'PUT /api/v0/asks/{offer_id}/': seconds(4.5),
  'GET /api/v0/instances/{id}/': seconds(2),
  'PUT /api/v0/instances/{id}/': seconds(1),
  'DELETE /api/v0/instances/{id}/': seconds(3),
  'GET /api/v0/instances/': seconds(1),
  'GET /api/v1/instances/': seconds(1),
  'PUT /api/v0/instances/reboot/{id}/': seconds(1),
  'PUT /api/v0/instances/recycle/{id}/': seconds(1),
  'PUT /api/v0/instances/bid_price/{id}/': seconds(5.5),
  'PUT /api/v0/machines/{machine_id}/report': seconds(1.2),
  'PUT /api/v0/commands/copy_direct/': seconds(3.5),
  'PUT /api/v0/commands/rsync/': seconds(3.5),
  'POST /api/v0/commands/get_copy_size/': seconds(3.5),
  'DELETE /api/v0/commands/rclone/': seconds(3.5),
  'GET /api/v0/secrets/': seconds(5),
  'POST /api/v0/secrets/': seconds(3),
  'PUT /api/v0/secrets/': seconds(3),
  'POST /api/v0/instances/take_snapshot/{id}/': seconds(1),
  'GET /api/v0/gpu_types/': seconds(2),
  'GET /api/v0/machines/maintenances': seconds(2),
  'POST /api/v0/machines/maintenances': seconds(1),
  'DELETE /api/v0/machines/maintenances': seconds(1),
  'GET /api/v0/ssh/': seconds(1),
  'POST /api/v0/ssh/': seconds(1),
  'DELETE /api/v0/ssh/{id}/': seconds(1),
  'GET /api/v0/auth/apikeys/': seconds(1),
  'DELETE /api/v0/auth/apikeys/{id}/': seconds(2),
  'GET /api/v0/template/': seconds(3),
  'GET /api/v0/volumes/': seconds(5.5),
  'POST /api/v0/volumes/search/': seconds(5.5),
  'PUT /api/v0/volumes/': seconds(5.5),
  'POST /api/v0/volumes/copy/': seconds(1),
  'DELETE /api/v0/volumes/': seconds(5.5),
  'GET /api/v0/deployments/': seconds(3),
  'POST /api/v0/deployment/{id}/start/': seconds(2),
  'GET /api/v0/charges/': seconds(1),
  'GET /api/v1/invoices/': seconds(3),
  'GET /api/v0/audit_logs/': seconds(2),
  'GET /api/v0/team/members/': seconds(2),
  'GET /api/v0/team/balances': seconds(2),
  'GET /api/v0/commands/schedule_job/': seconds(3.5),
  'POST /api/v0/commands/schedule_job/': seconds(3.5),
  'PUT /api/v0/commands/schedule_job/{id}/': seconds(3.5),
  'DELETE /api/v0/commands/schedule_job/{id}/': seconds(3.5),
  'GET /api/v0/notification-types/': seconds(2),
  'GET /api/v0/users/{user_id}/notification-prefs/': seconds(2),
  'PUT /api/v0/users/{user_id}/notification-prefs/': seconds(2),
  'GET /api/v0/webhooks/': seconds(2),
  'POST /api/v0/webhooks/': seconds(2),
  'DELETE /api/v0/webhooks/{id}/': seconds(2),
  'POST /api/v0/webhooks/{id}/rotate-secret/': seconds(2),
  'POST /api/v0/webhooks/{id}/test/': seconds(2),
};
