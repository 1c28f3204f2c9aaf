import { createWindowHub } from '../../src/store/windows/windowHub';
import { systemClock } from '../../src/util/clock';
import { silentLog } from '../../src/util/log';

/**
 * One window as a process of its own: `hubProcess.ts <storage folder> <address or "-">`. It tells what
 * happens as lines of JSON and takes `say <text>`, `claim <key>` and `act` as input.
 */
const [storageDir = '', address = '-'] = process.argv.slice(2);
const send = (value: object) => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};
const hub = createWindowHub({
  storageDir,
  clock: systemClock,
  log: { ...silentLog, error: (message, error) => send({ problem: `${message} ${String(error)}` }) },
  ...(address === '-' ? {} : { address: { path: address, isFile: true } }),
});
hub.onDidChangeLeader((leads) => {
  send({ leads });
});
hub.onDidChangePeers((peers) => {
  send({ peers: peers.size });
});
hub.on('chat', (data) => {
  send({ heard: data });
});
let rest = '';
process.stdin.on('data', (chunk: Buffer) => {
  const lines = (rest + chunk.toString('utf8')).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const [verb, word = ''] = line.split(' ');
    if (verb === 'say') {
      hub.broadcast('chat', word);
    } else if (verb === 'act') {
      send({ acts: hub.isLeader });
    } else if (verb === 'claim') {
      void hub.claim(word).then((first) => {
        send({ claim: word, first });
      });
    }
  }
});
process.stdin.on('end', () => {
  hub.dispose();
  process.exit(0);
});
