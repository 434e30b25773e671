/** Before anything else: our policy allows no code made from text, so zod must not even try. */
import { z } from "zod";

z.config({ jitless: true });
