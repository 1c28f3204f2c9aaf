import { DisposableStore, type Disposable } from '../../util/disposable';
import { jobsPart } from '../model/jobsInFile';
import type { Services } from '../services';
import { reportDamagedJobs } from './damagedJobs';
import type { JobDeps } from './deps';
import { registerExchange } from './exchange';
import { extendJob } from './extendJob';
import { fetchData, offerData } from './fetchData';
import { followModels } from './followModels';
import { forgetJobs } from './forgetJobs';
import {
  chooseRow,
  fetchJobOutputs,
  keepMachine,
  keepNow,
  openOutputs,
  outputsOnMachine,
  releaseMachine,
  rerun,
  retryJob,
  stopJob,
} from './jobCommands';
import { JobLenses } from './jobLenses';
import { JobLogs } from './jobLogs';
import { showJobMessages } from './jobMessages';
import { showMoves } from './jobMoves';
import { reportPresence } from './jobPresence';
import { showJobStatus } from './jobStatus';
import { jobTasks } from './jobTasks';
import { JobTree } from './jobTree';
import { runFileAsJob } from './jobsWithoutFile';
import { runJob } from './runJob';
import { workOfJobs } from './workOfJobs';

/** Jobs: commands that run to their end on a machine, with a view, logs, messages and user commands. */
export function register(services: Services): Disposable {
  const deps: JobDeps = services;
  const store = new DisposableStore();
  const shell = deps.trees['gpuRental.jobs'];
  const tree = store.add(new JobTree(deps, () => shell.view.visible));
  shell.setProvider(tree);
  store.add(shell.view.onDidChangeVisibility(() => tree.refresh()));
  const logs = store.add(new JobLogs(deps));
  store.add(new JobLenses());
  store.add(showJobStatus(deps));
  store.add(reportPresence(services));
  store.add(services.work.add(workOfJobs(services.jobs)));
  store.add(services.workspaceParts.add(jobsPart));
  store.add(showMoves(deps));
  store.add(showJobMessages(deps));
  store.add(reportDamagedJobs(deps));
  const updateContext = () => {
    const { jobs } = deps;
    const isShown = jobs.rows.length > 0 || jobs.damaged.length > 0 || jobs.error !== undefined;
    deps.contextKeys.set('gpuRental.jobs', isShown);
    // A completed step of the walkthrough stays ticked.
    if (jobs.rows.length > 0) {
      deps.contextKeys.set('gpuRental.done.job', true);
    }
  };
  store.add(deps.jobs.onDidChange(updateContext));
  updateContext();
  store.add(followModels(services));
  const { commands } = deps;
  store.add(
    commands.register('gpuRental.job.run', async (target) => {
      await runJob(deps, target);
    }),
  );
  store.add(
    commands.register('gpuRental.job.runFile', async (target) => {
      await runFileAsJob(deps, target);
    }),
  );
  store.add(commands.register('gpuRental.instance.fetchData', (target) => fetchData(services, target)));
  store.add(
    services.startWatches.onDidHappen((event) => {
      if (event.kind === 'ready') {
        offerData(services, event.instanceId).catch((error: unknown) => {
          services.log.info(`The data of the workspace was not offered: ${String(error)}`);
        });
      }
    }),
  );
  store.add(commands.register('gpuRental.job.stop', (target) => stopJob(deps, target)));
  store.add(
    commands.register('gpuRental.job.showLog', async (target) => {
      const row = await chooseRow(deps, target, 'gpuRental.job.showLog', () => true);
      if (row) {
        await logs.show(row);
      }
    }),
  );
  store.add(commands.register('gpuRental.job.fetchOutputs', (target) => fetchJobOutputs(deps, target)));
  store.add(commands.register('gpuRental.job.retry', (target) => retryJob(deps, target)));
  store.add(commands.register('gpuRental.job.openOutputs', (target) => openOutputs(deps, target)));
  store.add(commands.register('gpuRental.job.outputsOnMachine', (target) => outputsOnMachine(deps, target)));
  store.add(commands.register('gpuRental.job.rerun', (target) => rerun(deps, target)));
  store.add(registerExchange(deps));
  store.add(commands.register('gpuRental.job.extend', (target) => extendJob(deps, target)));
  store.add(commands.register('gpuRental.job.keepMachine', (target) => keepMachine(deps, target)));
  store.add(commands.register('gpuRental.job.keepNow', (target) => keepNow(deps, target)));
  store.add(commands.register('gpuRental.job.releaseMachine', (target) => releaseMachine(deps, target)));
  store.add(
    commands.register('gpuRental.job.reveal', async ({ jobId }) => {
      if (deps.jobs.find(jobId)) {
        await shell.view.reveal(tree.nodeOf(jobId), { select: true, focus: true });
      }
    }),
  );
  store.add(commands.register('gpuRental.job.forget', (target, all) => forgetJobs(deps, target, all)));
  store.add(commands.register('gpuRental.job.tasks', () => jobTasks(deps)));
  return store;
}
