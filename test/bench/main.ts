import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '../support/installed';
import { measureActivation } from './activation';
import type { Figure } from './figure';
import { measureFiles } from './files';
import { measureHeap } from './heap';
import { measureInstances } from './instances';
import { measureJobSync } from './jobSync';
import { measureJobs } from './jobs';
import { bestOf, isKept, type Ratios } from './kept';
import { measureLogins } from './logins';
import { measureMirror } from './mirror';
import { measureOffers } from './offers';
import { measurePage } from './page';
import { measureParked } from './parked';
import { measureReports } from './reports';
import { measureRequests } from './requests';
import { measureSizes } from './sizes';
import { measureTemplates } from './templates';
import { measureTests } from './tests';

/** Kinds of figures by the name that chooses them on the command line. */
const kinds: Record<string, () => Figure[] | Promise<Figure[]>> = {
  sizes: measureSizes,
  activation: measureActivation,
  heap: measureHeap,
  requests: measureRequests,
  page: measurePage,
  logins: measureLogins,
  reports: measureReports,
  offers: measureOffers,
  instances: measureInstances,
  templates: measureTemplates,
  jobs: measureJobs,
  jobSync: measureJobSync,
  files: measureFiles,
  mirror: measureMirror,
  parked: measureParked,
  tests: measureTests,
};

const keptFile = path.join(repository, 'docs', 'figures.json');
const readKept = () => JSON.parse(readFileSync(keptFile, 'utf8')) as Ratios;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { check: { type: 'boolean' }, keep: { type: 'boolean' } },
    allowPositionals: true,
  });
  const measures = Object.entries(kinds).filter(
    ([kind]) => positionals.length === 0 || positionals.includes(kind),
  );
  const figures: Figure[] = [];
  for (const [kind, measure] of measures) {
    console.error(`measuring ${kind}`);
    figures.push(...(values.check === true ? await bestOf(3, measure, readKept()) : await measure()));
  }
  console.log('| figure | measured | ratio | aim |\n| --- | --- | --- | --- |');
  for (const { name, value, ratio, aim = '' } of figures) {
    console.log(`| ${name} | ${value} | ${ratio?.toFixed(2) ?? ''} | ${aim} |`);
  }
  if (values.keep === true) {
    const measured = figures.flatMap(({ name, ratio }) =>
      ratio === undefined ? [] : [[name, Number(ratio.toFixed(2))] as const],
    );
    writeFileSync(
      keptFile,
      `${JSON.stringify({ ...readKept(), ...Object.fromEntries(measured) }, null, 2)}\n`,
    );
  }
  if (values.check !== true) {
    return 0;
  }
  const compared = figures.filter(({ ratio }) => ratio !== undefined);
  const failed = compared.filter((figure) => !isKept(figure, readKept()));
  for (const { name, value, ratio } of failed) {
    const kept = readKept()[name];
    console.log(
      kept === undefined
        ? `FAILED ${name}: ${value}, and docs/figures.json keeps none (npm run bench -- --keep)`
        : `FAILED ${name}: ${value}, a ratio of ${String(ratio?.toFixed(2))} where ${String(kept)} is kept`,
    );
  }
  console.log(`${String(compared.length - failed.length)} passed, ${String(failed.length)} failed`);
  return failed.length === 0 ? 0 : 1;
}

main().then(
  // A measured browser leaves handles that would hold the process.
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
