import { describeEveryCommand } from '../support/feature/everyCommand';

describeEveryCommand({
  name: 'with an instance that runs, while agents are let in',
  isSignedIn: true,
  access: 'ask',
});
