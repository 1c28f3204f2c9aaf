import { measureActivation } from './activation';
import { measureHeap } from './heap';
import { measureInstances } from './instances';
import { measureJobs } from './jobs';
import { measureJobSync } from './jobSync';
import { measureOffers } from './offers';
import { measureReports } from './reports';
import { measureRequests } from './requests';
import { measureSizes } from './sizes';
import { measureTemplates } from './templates';
import { measureTests } from './tests';
import type { Figure } from './figure';

/** Kinds of figures by the name that chooses them on the command line. */
const kinds: Record<string, () => Figure[] | Promise<Figure[]>> = {
  sizes: measureSizes,
  activation: measureActivation,
  heap: measureHeap,
  requests: measureRequests,
  reports: measureReports,
  offers: measureOffers,
  instances: measureInstances,
  templates: measureTemplates,
  jobs: measureJobs,
  jobSync: measureJobSync,
  tests: measureTests,
};

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  const lines = ['| figure | measured | aim |', '| --- | --- | --- |'];
  for (const [kind, measure] of Object.entries(kinds)) {
    if (chosen.length > 0 && !chosen.includes(kind)) continue;
    console.error(`measuring ${kind}`);
    lines.push(...(await measure()).map(({ name, value, aim = '' }) => `| ${name} | ${value} | ${aim} |`));
  }
  console.log(lines.join('\n'));
}

main().then(
  // A measured browser leaves handles that would hold the process.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
