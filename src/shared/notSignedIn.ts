import { UserError } from '../util/errors';
import { text } from '../util/text';

export class NotSignedInError extends UserError {
  constructor() {
    super(text('You are not signed in. Sign in first.'), { nextStep: 'signIn' });
  }
}
