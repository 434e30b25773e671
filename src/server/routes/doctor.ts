/** What was found, as main looked for it. An address may hold a password: it is left out. */
import type { doctorRoutes } from "../../api/doctor.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";

export const doctorHandlers = ({ doctor }: Served): Handlers<typeof doctorRoutes> => ({
  async doctor({ query: { call } }) {
    const findings = (await doctor?.(call === "true")) ?? [];
    return {
      findings: findings.map(({ found, remedy, ...rest }) => ({
        ...rest,
        found: bare(found),
        ...(remedy === undefined ? {} : { remedy: bare(remedy) }),
      })),
    };
  },
});

/** Neither who comes in (user:password@) nor what is asked (?key=…) of an address. */
const bare = (text: string): string =>
  text.replace(/(https?:\/\/)[^\s/@]*@/gi, "$1").replace(/(https?:\/\/[^\s?,)]*)\?[^\s,)]*/gi, "$1");
