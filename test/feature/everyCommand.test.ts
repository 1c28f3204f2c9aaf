import { describeEveryCommand } from '../support/feature/everyCommand';

describeEveryCommand({ name: 'signed out', isSignedIn: false, access: 'off' });
describeEveryCommand({ name: 'with an instance that runs', isSignedIn: true, access: 'off' });
