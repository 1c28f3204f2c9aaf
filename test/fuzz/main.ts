import { prepareProduct } from '../support/fakeEditor/product';
import { killAt } from '../support/feature/jobKills';
import { jobPlaces } from '../support/feature/jobPlaces';
import { anyBlows, playJob } from './jobs/scene';
import { playMirror } from './mirror/scene';
import { playAll, type Play } from './playAll';
import { play } from './scene';

const plays: Readonly<Record<string, Play>> = {
  money: play,
  mirror: playMirror,
  jobs: async (seed, trace) => {
    const { violations, rentals } = await playJob(seed, anyBlows, trace);
    return { seed, violations, rentals };
  },
  kills: async (seed, trace) => {
    const place = jobPlaces[seed % jobPlaces.length] ?? '';
    trace?.(place);
    const { violations, rentals } = await killAt(place);
    return { seed, violations: violations.map((one) => `${place}: ${one}`), rentals };
  },
};

const [kind = '', ...runs] = process.argv.slice(2);
const playOne = plays[kind];
if (!playOne) {
  throw new Error(`There are no ${kind} runs`);
}
prepareProduct();
void playAll(playOne, runs);
