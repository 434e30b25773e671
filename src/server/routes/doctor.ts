/** The findings of `doctor`. A URL may hold a password: it is removed. */
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

/** Removes credentials (user:password@) and query (?key=…) from a URL. */
const bare = (text: string): string =>
  text.replace(/(https?:\/\/)[^\s/@]*@/gi, "$1").replace(/(https?:\/\/[^\s?,)]*)\?[^\s,)]*/gi, "$1");
