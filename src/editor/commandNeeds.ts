import type { AnyCommandId } from '../contributions';
import type { PermissionCategory } from '../model/accounts/apiKey';

const rent: readonly PermissionCategory[] = ['misc', 'instance_write'];
const change: readonly PermissionCategory[] = ['instance_write'];
const look: readonly PermissionCategory[] = ['instance_read'];
const account: readonly PermissionCategory[] = ['user_write'];

/**
 * The permission that a command needs (docs/service/authentication.md#permission-categories). A command that
 * the key may not run explains why instead of failing. Commands that are not listed work with every key that
 * signs in.
 */
export const commandNeeds: Readonly<Partial<Record<AnyCommandId, readonly PermissionCategory[]>>> = {
  'gpuRental.searchOffers': ['misc'],
  'gpuRental.searchFor': ['misc'],
  'gpuRental.rentFromTemplate': rent,
  'gpuRental.rentForWorkspace': rent,
  'gpuRental.instance.rentAnother': rent,
  // Asked right before money is spent, in every way to a rental.
  'gpuRental.ensureSshKey': change,
  'gpuRental.instance.start': change,
  'gpuRental.instance.startNow': change,
  'gpuRental.instance.stop': change,
  'gpuRental.instance.reboot': change,
  'gpuRental.instance.destroy': change,
  'gpuRental.instance.setLease': change,
  'gpuRental.reviewPriceIncreases': change,
  'gpuRental.instance.rename': change,
  'gpuRental.instance.changeBid': change,
  'gpuRental.instance.runCommand': change,
  'gpuRental.instance.attachKey': change,
  'gpuRental.instance.detachKey': change,
  'gpuRental.volume.rent': rent,
  'gpuRental.volume.delete': change,
  'gpuRental.deployment.stop': change,
  'gpuRental.deployment.start': change,
  'gpuRental.instance.showLogs': look,
  'gpuRental.template.create': account,
  'gpuRental.template.duplicate': account,
  'gpuRental.template.delete': account,
  'gpuRental.template.import': account,
  'gpuRental.sshKey.add': account,
  'gpuRental.sshKey.generate': account,
  'gpuRental.sshKey.delete': account,
  'gpuRental.apiKey.create': account,
  'gpuRental.apiKey.createFromDocument': account,
  'gpuRental.apiKey.delete': account,
  'gpuRental.secret.set': account,
  'gpuRental.secret.delete': account,
  'gpuRental.tfa.addMethod': account,
  'gpuRental.tfa.updateMethod': account,
  'gpuRental.tfa.removeMethod': account,
  'gpuRental.tfa.regenerateBackupCodes': account,
  'gpuRental.teamRole.show': ['team_read'],
  'gpuRental.earnings.show': ['billing_read'],
  'gpuRental.market.show': ['machine_read'],
  'gpuRental.machine.setMinimumBid': ['machine_write'],
  'gpuRental.machine.scheduleMaintenance': ['machine_write'],
};
