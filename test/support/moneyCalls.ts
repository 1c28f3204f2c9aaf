import type { Call } from './everyCall';

const maintenanceWindow = {
  ...{ id: 412, machine_id: 88012, start_time: 1_796_200_000, duration_hours: 3 },
  ...{ maintenance_category: 'internet', cancelled_at: null },
};

/** An example of each call that reads what an account paid, what changed it, and what its hosts plan. */
export const moneyCalls = {
  'invoices.list': {
    call: (client) => client.invoices.list({ from: 1, to: 2 }),
    example: {
      success: true,
      count: 1,
      total: 1,
      next_token: null,
      results: [
        {
          start: 1,
          end: 2,
          type: 'credit',
          source: 'stripe',
          description: 'top-up',
          amount: -25,
          metadata: { invoice_id: 3301, service: 'stripe_payments' },
          items: [],
        },
      ],
    },
  },
  'auditLog.list': {
    call: (client) => client.auditLog.list(),
    example: [
      {
        ip_address: '203.0.113.9',
        api_key_id: 7,
        created_at: 1796108414.2,
        api_route: 'api.instance_DELETE',
        args: '{"id": 1}',
      },
    ],
  },
  'charges.list': {
    call: (client) => client.charges.list({ from: 1, to: 2 }),
    example: {
      success: true,
      next_token: null,
      results: [
        {
          start: 1,
          end: 2,
          type: 'instance',
          source: 'instance-1',
          amount: 0.5,
          items: [{ type: 'gpu', amount: 0.5 }],
        },
      ],
    },
  },
  'machines.maintenances': {
    call: (client) => client.machines.maintenances([88012]),
    example: [maintenanceWindow],
  },
  'machines.plannedMaintenance': {
    call: (client) => client.machines.plannedMaintenance([88012]),
    example: [maintenanceWindow],
  },
  'machines.cancelMaintenance': {
    call: (client) => client.machines.cancelMaintenance(412),
    example: { success: true },
  },
} satisfies Record<string, Call>;
