import assert from 'node:assert/strict';
import { silenceMs } from '../../../src/agents/model/agreed';
import { mostBytes } from '../../../src/agents/model/answer';
import { answerWithinMs, hourMs, quoteLastsMs } from '../../../src/agents/model/gate';
import { longestPauseMs } from '../../../src/jobs/model/afterFailure';
import { longestScript, mostJobHours, mostJobs } from '../../../src/jobs/model/jobFields';
import { fetchSeconds } from '../../../src/jobs/model/jobLimits';
import { mostVariants } from '../../../src/jobs/model/jobMatrix';
import { authorizationMs, challengeMs } from '../../../src/model/accounts/secondFactor';
import { noticeMs } from '../../../src/model/budget/stopPlan';
import { historyMs } from '../../../src/model/instances/gauges';
import { idleGpuPercent } from '../../../src/model/instances/gauges';
import { maxLabelLength } from '../../../src/model/instances/instanceLabel';
import { destroyGraceMs, lingerGraceMs } from '../../../src/model/instances/instanceState';
import { outdatedMs } from '../../../src/model/instances/pollPlan';
import { hoursPerMonth } from '../../../src/model/money';
import { mostRows } from '../../../src/model/offers/marketQuery';
import { mostRecentSearches, usualDiskGb } from '../../../src/model/offers/savedSearches';
import { forgetMatchMs } from '../../../src/model/offers/searchWatch';
import { bootPatienceMs } from '../../../src/model/rentals/machineCheck';
import { mostPastRentals } from '../../../src/model/rentals/pastRental';
import { leastDiskGb, mostCopies } from '../../../src/model/rentals/rentPlan';
import { mostRecents } from '../../../src/model/templates/templateRef';
import { actingMs, lateMs, silentKernelMs } from '../../../src/schedules/model/schedule';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Tests of what they limit use them by name, and would go along with any change. */
describe('The limits of the rules', () => {
  for (const [what, limit, expected] of [
    ['a challenge for a second factor lasts', challengeMs, 10 * minute],
    ['an authorization by a second factor lasts', authorizationMs, 30 * minute],
    ['a working window may be silent for', silenceMs, 2 * minute],
    ['the user may answer an agent within', answerWithinMs, 10 * minute],
    ['a quote lasts', quoteLastsMs, 10 * minute],
    ['an hour has', hourMs, hour],
    ['instances are stopped at the end of a budget after', noticeMs, 10 * minute],
    ['gauges reach back for', historyMs, hour],
    ['a destroyed instance may be listed for', lingerGraceMs, 2 * minute],
    ['a destroy may be without effect for', destroyGraceMs, 10 * minute],
    ['a schedule is late after', lateMs, 2 * minute],
    ['a window may act on a schedule for', actingMs, 3 * minute],
    ['a notebook server may be silent for', silentKernelMs, 2 * hour],
    ['a list is outdated after', outdatedMs, 11 * minute],
    ['the longest pause after failures', longestPauseMs, 5 * minute],
    ['a match of a watch is forgotten after', forgetMatchMs, 30 * minute],
    ['a machine may take to boot', bootPatienceMs, minute],
    ['the seconds to fetch outputs', fetchSeconds, 900],
    ['a GPU is idle below (percent)', idleGpuPercent, 5],
    ['the most bytes of an answer to an agent', mostBytes, 6144],
    ['the most jobs of a file', mostJobs, 50],
    ['the most hours of a job', mostJobHours, 720],
    ['the longest script', longestScript, 65_536],
    ['the most variants of a matrix', mostVariants, 64],
    ['the hours of a month', hoursPerMonth, 720],
    ['the longest name', maxLabelLength, 256],
    ['the most rows of a search', mostRows, 64],
    ['the most recent searches', mostRecentSearches, 8],
    ['the usual disk (GB)', usualDiskGb, 20],
    ['the least disk (GB)', leastDiskGb, 8],
    ['the most machines at once', mostCopies, 8],
    ['the most past rentals', mostPastRentals, 300],
    ['the most recent templates', mostRecents, 10],
  ] as const) {
    it(`${what} ${expected}`, () => assert.equal(limit, expected));
  }
});
