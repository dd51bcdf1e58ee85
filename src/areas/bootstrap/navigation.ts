import { Injectable, type OnModuleInit, RequestMethod } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { featureOf } from '#libs/auth/features.js';
import type { Principal } from '#libs/auth/principal.js';
import { routeOf } from '#libs/http/route.js';

/** Areas in which the caller may use at least one read operation. */
@Injectable()
export class Navigation implements OnModuleInit {
  /** Permissions of the reading operations, by area. */
  private readonly areas = new Map<string, Set<string>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    for (const { instance } of this.discovery.getControllers()) {
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const route = routeOf(prototype[name]!);
        if (route && isRead(prototype[name]!) && !['any', 'public'].includes(route.permission) && !route.credential)
          this.add(route.id.split('.')[0]!, route.permission);
      }
    }
  }

  /** In alphabetical order. */
  openTo({ permissions: rights, switchedOff }: Pick<Principal, 'permissions' | 'switchedOff'>): string[] {
    return [...this.areas]
      .filter(([area]) => !isOff(area, switchedOff))
      .filter(([, permissions]) => [...permissions].some((permission) => rights.has(permission)))
      .map(([area]) => area)
      .sort();
  }

  private add(area: string, permission: string): void {
    const known = this.areas.get(area);
    if (known) known.add(permission);
    else this.areas.set(area, new Set([permission]));
  }
}

/** Whether the tenant has disabled an area. */
export function isOff(area: string, switchedOff: Principal['switchedOff']): boolean {
  const feature = featureOf(area);
  return feature !== null && switchedOff.has(feature);
}

function isRead(handler: object): boolean {
  return Reflect.getMetadata('method', handler) === RequestMethod.GET;
}
