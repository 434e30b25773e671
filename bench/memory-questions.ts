/**
 * Questions about the thirty weeks, asked at their end and meaning what holds then: as one asks who has forgotten the words, so that no telling word of
 * the note is in the question unless it is a name without which nobody could know what is meant. The types are those of LongMemEval and LoCoMo; the
 * content is our own.
 *
 * How they were made: by hand, by one who had seen the notes, before any of them was measured. Every other one is for development (`dev`): parameters may
 * be chosen with it. The others (`test`) are only measured. Both were written by the same hand, and both are about the same notes.
 *
 * A line is `type | subject | question`.
 */
import { rows } from "./memory-weeks.ts";

const lines = `
change | release day of the website | Which weekday do we push our pages to production these days?
change | payment service owner | Whom do I talk to before touching the checkout code?
fact | human's style of answers | How long may a reply to my boss be, and what goes on top?
fact | staging data | Where do the records in the test environment come from?
change | backup retention | How far back can we go if somebody loses their files?
fact | rollback procedure | A rollout went wrong. What do I do?
fact | Maria's meeting hours | Can I schedule a call with Maria for nine?
fact | refund approval | Who has to agree when a buyer wants a lot of money returned?
fact | customer language in Lyon | Do our French clients accept English paperwork?
fact | press contacts | A journalist phoned. May I talk to her?
fact | chip power draw | How much electricity does one of those GPUs consume?
change | budget of the research run | What is the spending limit for an investigation?
fact | crawl speed | How slowly do we have to scrape to stay unblocked?
fact | flaky tests | Why was our CI unstable?
change | invoice date | When do clients receive their bill?
fact | report deadline | How soon after a three month period do we owe the financial summary?
fact | wifi for demos | How do I avoid losing the connection while presenting?
fact | password rotation | How frequently do credentials have to be replaced?
fact | data location | In which city may information about EU citizens be hosted?
fact | deletion requests | Somebody wants to be forgotten by us. How fast must we act?
fact | android crash | Why does the program die on outdated handsets?
fact | survey wish | Which improvement do people want most?
fact | page speed | What does slow loading do to our audience?
change | competitor price | What does our rival's product cost?
fact | newsletter time | What is the ideal moment to mail our subscribers?
fact | headline style | How do I write titles that people open?
fact | warehouse inventory | In which month can our Dutch storage site not deliver?
fact | shipping to Norway | Which paperwork does a parcel to Oslo require?
fact | battery supplier | Which vendor keeps missing its delivery dates?
fact | solar panel ageing | How fast does photovoltaic equipment degrade?
fact | heat pump limit | How cold may a winter be before this kind of heating fails?
fact | drug side effects | What went badly for those who took the medication?
fact | study size | Why should nobody rely on that research about nights?
fact | coffee rule | When is it too late for an espresso?
fact | museum entry | When does the exhibition cost no admission?
fact | Madrid train | How long do we sit in the rail carriage across Spain?
fact | hotel checkout | May I keep my room until after lunch?
fact | allergy of grandmother | Which ingredient must not be in the cake for our old lady?
fact | landlord visits | How much warning do we get before the owner of the flat comes?
fact | lease end | By when do I have to give notice for the apartment?
fact | library licence | May we sell what we built with somebody else's package?
fact | trademark class | For what kind of goods is our brand protected?
fact | engineer interviews | How do we speak with technical applicants?
fact | first day of colleagues | What does a newcomer receive when joining?
fact | vacation requests | How do I ask for time off?
change | conference budget | What may an employee spend on attending events?
fact | logo margin | How much empty space surrounds our emblem?
fact | colour of success | How do I paint a message that all went well?
fact | screen readers | Why does a blind visitor not notice our pictures?
fact | spring flood | What causes the high water in April?
fact | bees | Why do insects matter for farming here?
change | school bus | When must the kids be at the stop?
change | violin lesson | On which weekday is the music class?
fact | car brakes | What has to be repaired on our vehicle by summer?
fact | robot camera | In which light did the machine get disoriented?
fact | summary feedback | How did my boss judge the text I delivered?
fact | team size | Was it worth hiring more people for the investigation?
fact | trustworthy prices | Which source gave correct cost information?
fact | overload lesson | What is the right way to repeat a failed request?
fact | connection pool | What made database access faster?
fact | coroutine freeze | Why did all asynchronous tasks hang together?
fact | Anna's role | What job does Anna have?
fact | Tom's departure | Does Tom still work with us?
fact | invoice tool | Which software do we bill with?
change | office address | In which city do we sit now?
fact | cleaning day | When is our floor mopped?
fact | printer | Which device do I use when a page must not be grey?
fact | coffee machine | How often does the espresso maker need maintenance?
fact | parking | Where do guests leave their vehicle?
fact | meeting notes | Who writes the minutes every week?
fact | board meeting | When do the directors come together?
fact | contract signature | How many people must approve a big deal on paper?
fact | travel class | When am I allowed to go by plane?
fact | expense receipts | How soon do I hand in what I paid on a trip?
fact | customer satisfaction | What annoyed the people who buy from us?
change | support hours | Can clients reach the help desk on weekends?
fact | error budget | How long may we be offline in four weeks?
fact | on call | For what period is one person responsible for emergencies?
fact | log retention | When do we throw away the traces of requests?
fact | password manager | Where do colleagues put credentials that several people use?
fact | code review | What has to happen before new code enters the trunk?
fact | test coverage | Do we have to reach a percentage of lines executed by checks?
fact | naming of branches | What do I call my line of development in git?
fact | database choice | What were the reasons for our storage engine?
fact | queue choice | Why do we not use something like Kafka?
fact | mobile framework | Which technology is our phone software made with?
fact | language of comments | May remarks in source files be in German?
fact | Maria's team | Which department is Maria in charge of?
fact | Peter's holiday | In which summer weeks can nobody reach Peter?
fact | customer in Oslo | Which client gets a discount for paying fast?
fact | customer in Madrid | Whom in Spain do we ask for a deposit?
change | hosting provider | In which country are our machines?
fact | domain renewal | Who looks after our web address?
fact | certificate | What broke TLS the last time?
fact | monitoring | Where do warnings about the system show up?
fact | status page | How fast must we inform the public when we are down?
fact | search index | How many hours does it take until everything can be found again?
fact | pricing decision | Why do foreigners pay the same as people here?
change | trial length | For how many weeks can people test our product without paying?
fact | churn reason | Why do people cancel their subscription with us?
fact | best channel | How do buyers hear about us?
fact | photo rights | What do I need before I put a colleague's face on the website?
fact | gift limit | A vendor sent me an expensive watch. May I keep it?
fact | recycling | What becomes of our used computers?
fact | human's working hours | Until what time may I disturb my boss?
fact | preferred chart | How does my boss want numbers visualised?
fact | spelling | Do I write "colour" or "color"?
fact | file format | As what type of document do I hand over my analysis?
when | release day of the website | Since when do we push to production on another weekday?
when | competitor price | When did our rival become cheaper?
when | violin lesson | When was the music class rescheduled?
when | office address | When did we relocate?
when | support hours | Since when can clients call on weekends?
when | hosting provider | When did we migrate to France?
when | trial length | When did we become more generous to people who only test?
when | payment service owner | Since when is somebody else in charge of the checkout?
when | backup retention | When did we begin to hold on to copies for longer?
when | database choice | When did we settle on a storage engine?
when | team size | When did we learn that more people do not help?
when | mobile framework | When did we give up native development?
when | pricing decision | When did we decide against different rates abroad?
when | Peter's holiday | When was I told that Peter would be away?
when | invoice date | When was the billing cycle altered?
when | conference budget | Since when may employees spend more on events?
before | release day of the website | On which weekday did we push to production in the past?
before | office address | In which city did we sit in the past?
before | competitor price | What did our rival ask for originally?
before | hosting provider | Who ran our machines in the past?
before | support hours | When was the help desk reachable in the past?
before | payment service owner | Who was in charge of the checkout in the past?
before | trial length | How long could people test our product originally?
before | violin lesson | What was the former weekday of the music class?
who | summary feedback | Which person found my text too wordy?
who | library licence | Whose opinion was it that we may sell it?
who | meeting notes | Which colleague keeps the minutes?
who | domain renewal | Which employee handles our web address?
who | Anna's role | Who is the boss of those who draw the screens?
who | Tom's departure | Which former colleague works for our rival?
who | customer in Madrid | Which client has a bad record of settling bills?
who | battery supplier | Whose shipments can we not rely on?
who | payment service owner | Who took over the checkout from Peter?
who | Maria's team | Who is the head of advertising?
preference | human's style of answers | Should I begin with the result or with the reasoning?
preference | preferred chart | May I show shares as slices of a circle?
preference | human's working hours | It is eight at night and I have a question. What now?
preference | Maria's meeting hours | Which part of the day should I avoid for talks with Maria?
preference | file format | My boss wants a table of figures. How do I deliver it?
preference | summary feedback | Should I add background to the overview?
preference | spelling | Which variety of the language do I write for my boss?
unknown | | What is the birthday of the chairman?
unknown | | How many bicycles are in the cellar?
unknown | | Which wine was served at the wedding?
unknown | | What is the melting point of tungsten?
unknown | | Who won the football match on Saturday?
unknown | | What is the name of the neighbour's dog?
unknown | | How tall is the tower in the park?
unknown | | Which song was played at the opening?
unknown | | What did the dentist recommend?
unknown | | How much does a ticket to the opera cost?
unknown | | Which planet has the most moons?
unknown | | What is the shoe size of the trainer?
unknown | | How deep is the lake behind the village?
unknown | | Which actor plays the detective?
unknown | | How many pages has the novel?
unknown | | What is the recipe for the lentil soup?
`;

export interface Question {
  /** unknown: nothing is known about it. before: what held earlier. */
  type: "fact" | "change" | "preference" | "when" | "before" | "who" | "unknown";
  subject: string;
  question: string;
  set: "dev" | "test";
}

export const questions: readonly Question[] = rows(lines).map(
  ([type, subject, question], at) => ({ type, subject, question, set: at % 2 ? "test" : "dev" }) as Question,
);
