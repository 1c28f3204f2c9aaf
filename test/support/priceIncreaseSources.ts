/** One bundle of both, so that the same classes of errors are known to both. */
export { NotFoundError, TimedOutError } from '../../src/api/errors';
export { reviewPriceIncreases, tellPriceIncrease } from '../../src/features/warnings/priceIncreases';
