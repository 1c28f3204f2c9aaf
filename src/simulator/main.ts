/** The simulator by itself: `npm run simulator -- --port 8787 --api-key KEY --seed 1`. */
import { parseCommandLine, usage, UsageError } from './commandLine';
import { startSimulator } from './server';
import { StateFileError } from './stateFile';

async function main(): Promise<void> {
  const options = parseCommandLine(process.argv.slice(2), process.env);
  if (options === 'help') {
    process.stdout.write(usage);
    return;
  }
  // The machines' shells must not inherit the key, and neither must any other child process.
  delete process.env['SIMULATOR_API_KEY'];
  const simulator = await startSimulator({
    ...options,
    onError: (error) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    },
    onIdleExit: () => process.exit(0),
  });
  if (options.apiKey === undefined) {
    process.stdout.write(`API key ${simulator.apiKey}\n`);
  }
  const end = () => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  process.once('SIGHUP', end);
  // The parent process may close its end of the output at any time.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.stdout.write(`listening ${simulator.url}\n`);
}

main().catch((error: unknown) => {
  const isExpected = error instanceof UsageError || error instanceof StateFileError || isTaken(error);
  process.stderr.write(`${error instanceof Error && isExpected ? error.message : String(error)}\n`);
  process.exit(error instanceof UsageError ? 2 : error instanceof StateFileError ? 3 : 1);
});

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
