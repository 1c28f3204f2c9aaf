import type { Services as CoreServices } from '../services';
import type { RentalHistory } from './store/rentalHistory';

/** What the features of this wing know. */
export type Services = CoreServices & { readonly history: RentalHistory };
