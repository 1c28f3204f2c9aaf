import { prepareProduct } from '../support/fakeEditor/product';
import { killAt, killParkedAt } from '../support/feature/jobKills';
import { jobPlaces, parkedPlaces } from '../support/feature/jobPlaces';
import { anyBlows, playJob } from './jobs/scene';
import { playMirror } from './mirror/scene';
import { anyModelBlows, playModel } from './models/scene';
import { playParkedLife } from './parked/scene';
import { playAll, type Play } from './playAll';
import { play } from './scene';

const plays: Readonly<Record<string, Play>> = {
  money: play,
  mirror: playMirror,
  jobs: async (seed, trace) => {
    const { violations, rentals } = await playJob(seed, anyBlows, trace);
    return { seed, violations, rentals };
  },
  models: async (seed, trace) => {
    const { violations, rentals } = await playModel(seed, anyModelBlows, trace);
    return { seed, violations, rentals };
  },
  kills: (seed, trace) => playKill(jobPlaces, killAt, seed, trace),
  parked: (seed, trace) =>
    seed < parkedPlaces.length
      ? playKill(parkedPlaces, killParkedAt, seed, trace)
      : playParkedLife(seed, trace),
};

async function playKill(
  places: readonly string[],
  kill: typeof killAt,
  ...[seed, trace]: Parameters<Play>
): ReturnType<Play> {
  const place = places[seed % places.length] ?? '';
  trace?.(place);
  const { violations, rentals } = await kill(place);
  return { seed, violations: violations.map((one) => `${place}: ${one}`), rentals };
}

const [kind = '', ...runs] = process.argv.slice(2);
const playOne = plays[kind];
if (!playOne) {
  throw new Error(`There are no ${kind} runs`);
}
prepareProduct();
void playAll(playOne, runs);
