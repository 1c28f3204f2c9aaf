import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { repository } from '../support/installed';
import { signIn } from '../support/journey';
import { UiSession } from '../support/uiSession';
import { until } from '../support/until';
import type { Workbench } from '../support/workbench';
import { calibration, sized, timed, type Figure } from './figure';

const machines = 120;
const days = 366;
const models = 150;

/** Script time for drawing the largest reports, and the size of their page. */
export async function measureReports(): Promise<Figure[]> {
  const session = await UiSession.start('bench-reports');
  try {
    const { simulator } = session;
    const money = { gpu_earn: 12.5, sto_earn: 1.25, bwu_earn: 0.25, bwd_earn: 0.5 };
    simulator.fail({
      kind: 'answer',
      path: '/api/v0/users/*',
      skip: 1,
      times: 0,
      status: 200,
      body: {
        summary: { total_gpu: 1, total_stor: 1, total_bwu: 1, total_bwd: 1 },
        current: { balance: 1, service_fee: 1, total: 1, credit: 1 },
        per_machine: Array.from({ length: machines }, (_, id) => ({ machine_id: id + 1, ...money })),
        per_day: Array.from({ length: days }, (_, day) => ({ day: 20_000 + day, ...money })),
      },
    });
    simulator.fail({
      kind: 'answer',
      path: '/api/v0/metrics/gpu/current/',
      times: 0,
      status: 200,
      body: {
        success: true,
        gpus: Array.from({ length: models }, (_, index) => ({
          gpu_name: `GPU ${index}`,
          total: 100,
          available: 50,
          ...{ price_p10: 0.1, price_p25: 0.2, price_median: 0.3, price_p75: 0.4, price_p90: 0.5 },
        })),
      },
    });
    const workbench = await session.window();
    await signIn(session, workbench);
    const earnings = await drawn(workbench, 'Show Earnings', '#chart-days');
    const market = await drawn(workbench, 'Show GPU Market', '#chart-prices');
    const bundle = readFileSync(path.join(repository, 'dist', 'webview', 'report.js'));
    // The function runs in the page, whose types are unknown here.
    const calibrated = await workbench.page.evaluate<number>(`(${calibration.toString()})()`);
    return [
      timed(`drawing earnings of ${machines} machines over ${days} days`, earnings, calibrated, '< 1,000 ms'),
      timed(`drawing ${models} GPU models`, market, calibrated, '< 1,000 ms'),
      sized('page of the reports, compressed', gzipSync(bundle).length, '< 150 KB'),
    ];
  } finally {
    await session.close();
  }
}

async function drawn(workbench: Workbench, command: string, chart: string): Promise<number> {
  await workbench.run(command);
  const canvas = workbench.webview().locator(chart);
  await canvas.waitFor();
  // The tests are typed without a browser; this is the part of one that is used.
  interface InPage {
    readonly ownerDocument: {
      readonly defaultView: {
        readonly performance: { getEntriesByName(name: string): readonly { readonly duration: number }[] };
      };
    };
  }
  const read = () =>
    canvas.evaluate((element) =>
      (element as unknown as InPage).ownerDocument.defaultView.performance
        .getEntriesByName('report')
        .map((entry) => entry.duration),
    );
  // The busy page comes first and counts as well.
  const durations = await until('the drawing', async () => {
    const found = await read();
    return found.length >= 2 ? found : undefined;
  });
  return Math.max(...durations);
}
